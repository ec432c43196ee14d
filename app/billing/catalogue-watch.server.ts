import { createBackgroundLoop } from "../background-loop.server.ts";
import type { App } from "../http/context.server.ts";
import { readCatalogue } from "./catalogue.server.ts";

const LOOK_MILLISECONDS = 1_000;
const NOTHING: Awaited<ReturnType<typeof readCatalogue>> = { plans: [], skipped: [] };

/**
 * Knows within a second whether the plans on sale have changed, whichever process changed them, and logs each active
 * price that is not on sale, once and again when the reason changes. While the database is away, what was known last
 * holds.
 */
export function watchCatalogue({
  db,
  payments,
  config,
  log,
}: Pick<App, "db" | "payments" | "config" | "log">) {
  let revision = 0;
  let known = "";
  let reasons = new Map<string, string>();
  const loop = createBackgroundLoop(look, {
    pauseMilliseconds: LOOK_MILLISECONDS,
    onError: (error) => log.warn({ error }, "could not look at the catalogue"),
  });

  async function look(): Promise<void> {
    const catalogue = payments.isOn ? await readCatalogue(db, config.currency) : NOTHING;
    const plans = JSON.stringify(catalogue.plans);
    if (plans !== known) revision++;
    known = plans;
    for (const { id, plan, reason } of catalogue.skipped) {
      if (reasons.get(id) !== reason) log.warn({ price: id, plan }, `a price is not on sale: it ${reason}`);
    }
    reasons = new Map(catalogue.skipped.map(({ id, reason }) => [id, reason]));
  }

  return {
    /** Resolves after the first look. */
    start: loop.start,
    stop: loop.stop,
    /** Grows by one each time the plans on sale are seen to have changed. */
    revision: () => revision,
  };
}
