import { countSealedByAnother } from "../auth/second-factor/authenticator-app.server.ts";
import type { App } from "../http/context.server.ts";
import { type Found, fail, ok, warn } from "./finding.ts";

/** While AUTH_SECRET is being replaced: what still needs the one before. */
export async function checkSecrets(app: Pick<App, "config" | "db">): Promise<Found> {
  if (app.config.authSecrets.length === 1) return [];
  const { count, sample, unreadable } = await countSealedByAnother(app);
  if (unreadable > 0)
    return [
      fail(
        `AUTH_SECRET_BEFORE is not what sealed them: it opens ${sample - unreadable} of ${sample} authenticator apps, of ${count} that AUTH_SECRET has not sealed`,
        "set AUTH_SECRET_BEFORE to the secret that was in use before: docs/operate.md, “Another AUTH_SECRET”",
      ),
    ];
  if (count > 0)
    return [
      warn(`${count} authenticator apps still need AUTH_SECRET_BEFORE`, "npm run ops -- secrets rotate"),
    ];
  return [
    ok(
      "AUTH_SECRET has sealed all authenticator apps; AUTH_SECRET_BEFORE is only for links and codes from before",
    ),
  ];
}
