import { and, inArray, lt, type SQL, sql } from "drizzle-orm";
import { deleteUnusedAccount } from "./account/delete-account.server.ts";
import { endingMessage } from "./auth/messages.ts";
import { user } from "./auth/schema.ts";
import { checkoutAttempts, customers, stripeSubscriptions } from "./billing/schema.ts";
import type { App } from "./http/context.server.ts";
import { enqueueMail } from "./mail/enqueue-mail.server.ts";
import { grants } from "./promo/schema.ts";
import { createUserHooks } from "./user-hooks.server.ts";

/** How long an account may wait for its address to be confirmed; the privacy page says so. */
const UNCONFIRMED_DAYS = 30;
/** How long before that they are told. */
const TOLD_DAYS = 7;
/** In one round: the rest is left to the next. */
const MOST_AT_ONCE = 100;

type Parts = Pick<App, "config" | "db" | "payments" | "log">;

const before = (days: number) => sql`now() - make_interval(days => ${days}::int)`;

/** Nobody confirmed the address, and nothing was ever paid, begun to be paid, redeemed or given. */
const UNUSED = sql.join(
  [
    sql`NOT ${user.emailVerified}`,
    ...[grants, customers, stripeSubscriptions, checkoutAttempts].map(
      (table) => sql`NOT EXISTS (SELECT FROM ${table} WHERE ${table.userId} = ${user.id})`,
    ),
  ],
  sql` AND `,
);

const TO_TELL = and(
  UNUSED,
  lt(user.createdAt, before(UNCONFIRMED_DAYS - TOLD_DAYS)),
  sql`${user.endingToldAt} IS NULL`,
) as SQL;

/** Told as long before, too, of accounts that were old when this began. */
const TO_END = and(
  UNUSED,
  lt(user.createdAt, before(UNCONFIRMED_DAYS)),
  lt(user.endingToldAt, before(TOLD_DAYS)),
) as SQL;

/**
 * Tells whoever has an account with an address nobody confirmed that it ends, and a week later deletes it, as its own button
 * does. Confirming, redeeming or beginning to pay keeps it, until the row is gone.
 *
 * @param isStopping asked between two accounts; the rest is left to the next time
 */
export async function endUnconfirmedAccounts(app: Parts, isStopping: () => boolean): Promise<void> {
  await tellOwners(app);
  const due = await app.db.select({ id: user.id }).from(user).where(TO_END).limit(MOST_AT_ONCE);
  const parts = { ...app, userHooks: createUserHooks(app.config) };
  for (const { id } of due) {
    if (isStopping()) return;
    await deleteUnusedAccount(parts, id, TO_END);
  }
}

async function tellOwners({ config: { site }, db }: Parts): Promise<void> {
  await db.transaction(async (tx) => {
    const due = tx
      .select({ id: user.id })
      .from(user)
      .where(TO_TELL)
      .limit(MOST_AT_ONCE)
      .for("update", { skipLocked: true });
    const told = await tx
      .update(user)
      .set({ endingToldAt: sql`now()` })
      .where(inArray(user.id, due))
      .returning({ email: user.email });
    for (const { email } of told) await enqueueMail(tx, site, endingMessage(email, site));
  });
}
