/**
 * Creates and lists promo codes, for the operator.
 *
 *   npm run promo -- create CODE --tier premium --months 3 --max-uses 100 --expires 2027-01-31
 *   npm run promo -- list
 */
import { parseArgs } from "node:util";
import { COMMAND_LINE } from "../app/audit/record-change.server.ts";
import { TIERS } from "../app/entitlements/tiers.ts";
import { addPromoCode, listPromoCodes } from "../app/promo/manage-codes.server.ts";
import { newPromoCode } from "../app/promo/promo-terms.server.ts";
import { withDatabase } from "./open.ts";
import { describeIssue } from "./ops/promo-arguments.ts";

const USAGE = `Usage:
  npm run promo -- create CODE [--tier ${TIERS.join("|")}] [--months N | --forever] [--max-uses N] [--expires YYYY-MM-DD]
  npm run promo -- list

Without --tier the person who redeems the code chooses; without --months it gives one month; without --max-uses
anybody may use it once; --expires is the last day it can be redeemed, in UTC.`;

const [command, ...rest] = process.argv.slice(2);
if (command === "create") await create(rest);
else if (command === "list" && rest.length === 0) await list();
else fail(USAGE);

async function create(args: string[]): Promise<void> {
  const wanted = newPromoCode.safeParse(readArguments(args));
  if (!wanted.success) return fail(wanted.error.issues.map(describeIssue).join("\n"));
  await withDatabase(async ({ db }) => {
    const created = await addPromoCode(db, COMMAND_LINE, wanted.data);
    if (created) console.log(`created ${created.code}`);
    else fail(`${wanted.data.code} exists already; it was left as it is`);
  });
}

async function list(): Promise<void> {
  await withDatabase(async ({ db }) => {
    const codes = await listPromoCodes(db);
    if (codes.length === 0) console.log("no promo codes yet");
    else console.table(codes);
  });
}

function readArguments(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        tier: { type: "string" },
        months: { type: "string" },
        forever: { type: "boolean" },
        "max-uses": { type: "string" },
        expires: { type: "string" },
      },
    });
    const [code, ...extra] = positionals;
    if (extra.length > 0) return fail(`unexpected: ${extra.join(" ")}\n\n${USAGE}`);
    return {
      code,
      tier: values.tier,
      months: values.months,
      forever: values.forever,
      maxUses: values["max-uses"],
      expiresAt: values.expires,
    };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function fail(message: string): undefined {
  console.error(message);
  process.exitCode = 1;
}
