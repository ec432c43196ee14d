import type { App } from "../http/context.server.ts";
import { readMailLink } from "./mail-links.server.ts";
import { tryPassword } from "./password-tries.server.ts";
import { checkPassword, findPasswordOf } from "./passwords.server.ts";
import type { Reset } from "./reset-password.server.ts";

/**
 * The password that a link set minutes ago, if it is this one: pressed twice, a form without scripts is sent twice, and only
 * the second answer is seen. A wrong password counts as a try to sign in.
 */
export async function findResetBefore(
  app: Pick<App, "config" | "db" | "log">,
  client: string,
  token: string | null,
  password: string,
): Promise<Reset | null> {
  const link = await readMailLink(app.db, "reset_password", token);
  if (!link?.isUsed) return null;
  const tried = await tryPassword(app, { client, email: link.email }, "", async () =>
    checkPassword(app.db, await findPasswordOf(app.db, link.userId), password),
  );
  if (!tried.ok) return null;
  return { ok: true, email: link.email, password: tried.found, returnTo: link.returnTo ?? null };
}
