import type { App } from "../http/context.server.ts";
import type { FieldFailure } from "../http/errors.ts";
import { type Failure, failure } from "../http/errors.ts";
import { withLimit } from "../limits/with-limit.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { type PasswordOwner, whyRefused } from "./password-rules.server.ts";

/**
 * Whether a password of a proper length will do, and otherwise why not; within a limit, because judging takes time.
 *
 * Failures: 400 of the field `password`; 429 too many of this client's.
 */
export function judgePassword(
  app: Pick<App, "config" | "db" | "log">,
  client: string,
  password: string,
  owner: Pick<PasswordOwner, "name" | "email">,
): Promise<{ ok: true } | Failure | FieldFailure> {
  return withLimit(app, AUTH_LIMITS.passwordChecksByClient, client, async () => {
    const refusal = whyRefused(password, { ...owner, product: app.config.site.product });
    return refusal ? { ...failure(400, refusal), field: "password" } : { ok: true };
  });
}
