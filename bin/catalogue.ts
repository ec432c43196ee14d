/**
 * What is on sale, and what is not and why; and the plans at Stripe that the site sells; as `npm run ops -- catalogue`:
 *
 *   npm run catalogue -- list
 *   npm run catalogue -- sync
 *   npm run catalogue -- push
 */
import { commands } from "./ops/catalogue.ts";
import { OpsError, USAGE_ERROR } from "./ops/command.ts";

const USAGE = `Usage:
  npm run catalogue -- list [--json]          what is on sale, what is not and why, and what is still paid by customers
  npm run catalogue -- sync [--json]          fetches products and prices from Stripe now, then lists them
  npm run catalogue -- push [--live] [--json] creates the plans at Stripe, in an account that has no products

Exits with 0; with 1 when it could not run or refused to; list and sync with 2 when nothing is on sale.`;

const NOTHING_ON_SALE = 2;

const [verb = "", ...args] = process.argv.slice(2).filter((arg) => arg !== "--json");
try {
  const command = commands[verb];
  if (!command) throw new OpsError("there is no such command", USAGE_ERROR);
  const { text, data, exitCode = 0 } = await command.run(args);
  if (data) console.log(process.argv.includes("--json") ? JSON.stringify(data, null, 2) : text);
  // A database that cannot be opened has said so.
  process.exitCode ||= isEmptyCatalogue(data) ? NOTHING_ON_SALE : exitCode;
} catch (error) {
  if (!(error instanceof OpsError)) throw error;
  console.error(error.exitCode === USAGE_ERROR ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = 1;
}

function isEmptyCatalogue(data: unknown): boolean {
  if (typeof data !== "object" || data === null || !("plans" in data) || !("paymentsOff" in data))
    return false;
  return data.paymentsOff !== null || (Array.isArray(data.plans) && data.plans.length === 0);
}
