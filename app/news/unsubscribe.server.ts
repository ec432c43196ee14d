import type { Config } from "../config/config.server.ts";
import { readSignedId, signId } from "../http/secret-token.server.ts";
import type { Site } from "../ui/site.ts";

const PURPOSE = "product news of";

/** Ends product news without signing in. */
export function unsubscribeLink(
  userId: string,
  { authSecret, site }: Pick<Config, "authSecret"> & { site: Pick<Site, "origin"> },
): string {
  return `${site.origin}/news/unsubscribe?token=${signId(userId, PURPOSE, authSecret)}`;
}

/** The user's id; `null` when the link is not ours. */
export function readUnsubscribeLink({ url }: Request, { authSecrets }: Pick<Config, "authSecrets">) {
  return readSignedId(new URL(url).searchParams.get("token") ?? "", PURPOSE, authSecrets);
}
