import type { App } from "../http/context.server.ts";
import type { RefusalReason } from "../telemetry/metrics.ts";
import { pseudonymOf } from "./keys.server.ts";

/** What it takes to note a refusal. */
export type NotingApp = Pick<App, "config" | "log"> & Partial<Pick<App, "telemetry">>;

/** Whom it concerns: the address of the account, and the client as `RequestState` has it: an IPv4 address, or a /64 of IPv6. */
export interface Refused {
  email: string | null;
  client: string;
}

/** Counts that somebody was refused, and writes it to the log: under names that say who without the key of neither (decision 0022). */
export function noteRefusal(
  { config, log, telemetry }: NotingApp,
  reason: RefusalReason,
  { email, client }: Refused,
): void {
  telemetry?.meters.record("refusals_total", { reason });
  log.info(
    {
      reason,
      ...(email !== null && { account: pseudonymOf(config.authSecret, "account", email.toLowerCase()) }),
      network: pseudonymOf(config.authSecret, "network", client),
    },
    "refused",
  );
}

/** Notes it when what was tried within limits failed: for being wrong, or for being one too many. @returns it as it is */
export function noteIfRefused<Done>(
  app: NotingApp,
  done: Done,
  reasons: { wrong: RefusalReason; limited: RefusalReason },
  refused: Refused,
): Done {
  if (typeof done !== "object" || done === null || !("ok" in done) || done.ok !== false) return done;
  const isLimited = "status" in done && done.status === 429;
  noteRefusal(app, isLimited ? reasons.limited : reasons.wrong, refused);
  return done;
}
