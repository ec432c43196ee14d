import { watchValue } from "../background-loop.server.ts";
import type { App } from "../http/context.server.ts";
import { readCatalogue } from "./catalogue.server.ts";
import type { Plan } from "./plans.ts";

declare module "../http/context.server.ts" {
  interface App {
    catalogue: ReturnType<typeof watchCatalogue>;
  }
}

const EMPTY_CATALOGUE: Awaited<ReturnType<typeof readCatalogue>> = { plans: [], skipped: [] };

/**
 * Knows the plans on sale: `refresh` when somebody changed them. Logs what is not on sale although it is active at Stripe:
 * once, and again when the reason changes. While the database is away, the last known catalogue stays in force.
 */
export function watchCatalogue({
  db,
  payments,
  config,
  log,
}: Pick<App, "db" | "payments" | "config" | "log">) {
  let lastReasons = new Map<string, string>();
  return watchValue<Plan[]>([], read, (error) => log.warn({ error }, "could not look at the catalogue"));

  async function read(): Promise<Plan[]> {
    const { plans, skipped } = payments.isOn ? await readCatalogue(db, config.currency) : EMPTY_CATALOGUE;
    for (const { id, plan, reason } of skipped) {
      if (lastReasons.get(id) !== reason) log.warn({ stripeId: id, plan }, `not on sale: it ${reason}`);
    }
    lastReasons = new Map(skipped.map(({ id, reason }) => [id, reason]));
    return plans;
  }
}
