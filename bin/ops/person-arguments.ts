import { eq } from "drizzle-orm";
import { user } from "../../app/auth/schema.ts";
import { connectPaymentsOfServer } from "../../app/billing/stripe.server.ts";
import type { Queryable } from "../../app/db/client.server.ts";
import type { App } from "../../app/http/context.server.ts";
import { createLog } from "../../app/log/log.server.ts";
import { foldAddress } from "../../app/ui/email-address.ts";
import { withoutInvisible } from "../../app/ui/typed-text.ts";
import { answerFrom } from "../open.ts";
import { type OpsAnswer, OpsError, readArguments, USAGE_ERROR } from "./command.ts";

/** What the commands about people need of the site. */
export interface Parts {
  app: Pick<App, "config" | "db" | "payments" | "log">;
}

/** Runs with the database of the site and its way to Stripe. What goes wrong there is said on standard error. */
export function withParts(run: (parts: Parts) => Promise<OpsAnswer>): Promise<OpsAnswer> {
  return answerFrom(({ db }, config) => {
    const payments = connectPaymentsOfServer(config);
    const log = createLog("warn", { write: (line) => void process.stderr.write(line) });
    return run({ app: { config, db, payments, log } });
  });
}

/** @returns who is meant, the word after that, and the options by name. @throws OpsError for any other */
export function readPersonArguments(args: string[], names: readonly string[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { values, positionals } = readArguments(args, options, 2);
  const [who, further] = positionals;
  if (!who) throw new OpsError("say who: an address or a number", USAGE_ERROR);
  return { who, further, options: values };
}

/** The account with this address or number, or `null`. */
export async function findPerson(db: Queryable, who: string) {
  const isIt = who.includes("@")
    ? eq(user.email, foldAddress(who).toLowerCase())
    : eq(user.id, withoutInvisible(who));
  const [person] = await db.select().from(user).where(isIt);
  return person ?? null;
}
