import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "../config/config.server.ts";
import type { Site } from "../ui/site.ts";

/** The user's id and its HMAC-SHA256 in base64url. */
const TOKEN = /^([\w-]{36})_[\w-]{43}$/;

function tokenOf(userId: string, authSecret: string): string {
  const mac = createHmac("sha256", authSecret).update(`product news of ${userId}`).digest("base64url");
  return `${userId}_${mac}`;
}

/** Ends product news without signing in. */
export function unsubscribeLink(
  userId: string,
  { authSecret, site }: Pick<Config, "authSecret"> & { site: Pick<Site, "origin"> },
): string {
  return `${site.origin}/news/unsubscribe?token=${tokenOf(userId, authSecret)}`;
}

/** `null` when the link is not ours. */
export function readUnsubscribeLink(
  { url }: Request,
  { authSecrets }: Pick<Config, "authSecrets">,
): string | null {
  const token = new URL(url).searchParams.get("token") ?? "";
  const [, userId] = TOKEN.exec(token) ?? [];
  if (!userId) return null;
  const isOurs = authSecrets.some((authSecret) =>
    timingSafeEqual(Buffer.from(token), Buffer.from(tokenOf(userId, authSecret))),
  );
  return isOurs ? userId : null;
}
