import type { App } from "../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../http/errors.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { type PasswordOwner, passwordProblem } from "./password-rules.server.ts";

/**
 * Judges a new password of a proper length: the one place, for signing up, resetting, changing and setting the first one.
 * Within a limit, because judging takes time.
 *
 * Failures: 400 of the field `password`; 429 too many by this client.
 */
export function judgeNewPassword(
  app: Pick<App, "config" | "db" | "log">,
  client: string,
  password: string,
  owner: Pick<PasswordOwner, "name" | "email">,
): Promise<{ ok: true } | Failure | FieldFailure> {
  return withLimit(app, AUTH_LIMITS.passwordChecksByClient, client, async () => {
    const problem = await passwordProblem(password, { ...owner, product: app.config.site.product });
    return problem ? { ...failure(400, problem), field: "password" } : { ok: true };
  });
}
