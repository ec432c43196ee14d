import type { App } from "../http/context.server.ts";
import { readMailLink } from "./mail-links.server.ts";
import { tryPassword } from "./password-tries.server.ts";
import { checkPassword, findPasswordOf } from "./passwords.server.ts";

/**
 * Whether a link was used minutes ago and the account has had this password since: pressed twice, a form without scripts is
 * sent twice, and only the second answer is seen. A wrong password counts as a try to sign in.
 */
export async function wasResetTo(
  app: Pick<App, "config" | "db" | "log">,
  client: string,
  token: string | null,
  password: string,
): Promise<boolean> {
  const link = await readMailLink(app.db, "reset_password", token);
  if (!link?.isUsed) return false;
  const tried = await tryPassword(app, { client, email: link.email }, "", async () =>
    checkPassword(await findPasswordOf(app.db, link.userId), password),
  );
  return tried.ok;
}
