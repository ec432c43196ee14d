import { readSecondFactor } from "../../auth/second-factor/change-factors.server.ts";
import { hasPasskeys } from "../../auth/second-factor/passkeys.server.ts";
import type { App } from "../../http/context.server.ts";
import type { Ways } from "./factor-form.tsx";

/** What a user can show as a second factor here. */
export async function readWays({ config, db }: Pick<App, "config" | "db">, userId: string): Promise<Ways> {
  const { app, passkeys } = await readSecondFactor(db, userId);
  return { hasApp: app !== null, hasPasskeys: passkeys.length > 0 && hasPasskeys(config) };
}
