import { createBackgroundLoop } from "../background-loop.server.ts";
import type { App } from "../http/context.server.ts";
import { readCatalogue } from "./catalogue.server.ts";

const POLL_MILLISECONDS = 1_000;
const EMPTY_CATALOGUE: Awaited<ReturnType<typeof readCatalogue>> = { plans: [], skipped: [] };

/**
 * Notices within a second that the plans on sale have changed, whichever process changed them, and logs what is
 * not on sale although it is active at Stripe: once, and again when the reason changes. While the database is away, the last known
 * catalogue stays in force.
 */
export function watchCatalogue({
  db,
  payments,
  config,
  log,
}: Pick<App, "db" | "payments" | "config" | "log">) {
  let revision = 0;
  let lastPlans = "";
  let lastReasons = new Map<string, string>();
  const loop = createBackgroundLoop(refresh, {
    pauseMilliseconds: POLL_MILLISECONDS,
    onError: (error) => log.warn({ error }, "could not look at the catalogue"),
  });

  async function refresh(): Promise<void> {
    const catalogue = payments.isOn ? await readCatalogue(db, config.currency) : EMPTY_CATALOGUE;
    const plans = JSON.stringify(catalogue.plans);
    if (plans !== lastPlans) revision++;
    lastPlans = plans;
    for (const { id, plan, reason } of catalogue.skipped) {
      if (lastReasons.get(id) !== reason) log.warn({ stripeId: id, plan }, `not on sale: it ${reason}`);
    }
    lastReasons = new Map(catalogue.skipped.map(({ id, reason }) => [id, reason]));
  }

  return {
    /** Resolves after the first refresh. */
    start: loop.start,
    stop: loop.stop,
    /** Increases by one with each observed change of the plans on sale. */
    revision: () => revision,
  };
}
