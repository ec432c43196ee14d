import { createBackgroundLoop } from "../background-loop.server.ts";
import type { App } from "../context.server.ts";
import { listPlansOnSale } from "./catalogue.server.ts";

const LOOK_MILLISECONDS = 1_000;

/**
 * Knows within a second whether the plans on sale have changed, whichever process changed them. While the database
 * is away, what was known last holds.
 */
export function watchCatalogue(app: Pick<App, "db" | "payments" | "log">) {
  let revision = 0;
  let known = "";
  const loop = createBackgroundLoop(look, {
    pauseMilliseconds: LOOK_MILLISECONDS,
    onError: (error) => app.log.warn({ error }, "could not look at the catalogue"),
  });

  async function look(): Promise<void> {
    const plans = JSON.stringify(await listPlansOnSale(app));
    if (plans !== known) revision++;
    known = plans;
  }

  return {
    /** Resolves after the first look. */
    start: loop.start,
    stop: loop.stop,
    /** Grows by one each time the plans on sale are seen to have changed. */
    revision: () => revision,
  };
}
