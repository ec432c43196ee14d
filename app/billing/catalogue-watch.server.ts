import type { App } from "../context.server.ts";
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
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isStopped = false;

  function start(): Promise<void> {
    looking = look().finally(() => {
      if (!isStopped) timer = setTimeout(start, LOOK_MILLISECONDS).unref();
    });
    return looking;
  }

  async function look(): Promise<void> {
    try {
      const catalogue = payments.isOn ? await readCatalogue(db, config.currency) : NOTHING;
      const plans = JSON.stringify(catalogue.plans);
      if (plans !== known) revision++;
      known = plans;
      for (const { id, plan, reason } of catalogue.skipped) {
        if (reasons.get(id) !== reason) log.warn({ price: id, plan }, `a price is not on sale: it ${reason}`);
      }
      reasons = new Map(catalogue.skipped.map(({ id, reason }) => [id, reason]));
    } catch (error) {
      log.warn({ error }, "could not look at the catalogue");
    }
  }

  return {
    /** Resolves after the first look. */
    start,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
    /** Grows by one each time the plans on sale are seen to have changed. */
    revision: () => revision,
  };
}
