import type { App } from "../context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { LIMITS } from "../http/limits.ts";
import { takeTurn } from "../http/rate-limit.server.ts";
import { tooMany } from "../http/too-many.server.ts";
import type { FieldFailure } from "./answer-form.server.ts";
import { type PasswordOwner, whyRefused } from "./password-rules.server.ts";

/**
 * Whether a password of a proper length will do, and otherwise why not; within a limit, because judging takes time.
 *
 * Failures: 400 of the field `password`; 429 too many of this client's.
 */
export async function judgePassword(
  app: Pick<App, "config" | "db">,
  client: string,
  password: string,
  owner: Pick<PasswordOwner, "name" | "email">,
): Promise<{ ok: true } | Failure | FieldFailure> {
  const turn = await takeTurn(app, LIMITS.passwordChecksByClient, client);
  if (!turn.ok) return tooMany(turn.waitSeconds);
  const refusal = whyRefused(password, { ...owner, product: app.config.site.product });
  return refusal ? { ...failure(400, refusal), field: "password" } : { ok: true };
}
