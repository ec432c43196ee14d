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
      const plans = JSON.stringify(await listPlansOnSale(app));
      if (plans !== known) revision++;
      known = plans;
    } catch (error) {
      app.log.warn({ error }, "could not look at the catalogue");
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
