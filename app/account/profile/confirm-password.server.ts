import type { App } from "../../context.server.ts";
import { checkPassword, findPasswordOf, type KeptPassword } from "../passwords.server.ts";

/** The password of a user when this is it, otherwise `null`: the one place below /account where passwords are tried. */
export async function confirmPassword(
  app: Pick<App, "auth" | "db">,
  userId: string,
  password: string,
): Promise<KeptPassword | null> {
  const kept = await findPasswordOf(app.db, userId);
  return kept && checkPassword(app, kept, password);
}
