import { and, inArray, lt, type SQL, sql } from "drizzle-orm";
import { deleteUnusedAccount } from "./account/delete-account.server.ts";
import { endingMessage } from "./auth/messages.ts";
import { user } from "./auth/schema.ts";
import { checkoutAttempts, customers, stripeSubscriptions } from "./billing/schema.ts";
import type { App } from "./http/context.server.ts";
import { enqueueMail } from "./mail/enqueue-mail.server.ts";
import { grants } from "./promo/schema.ts";

/** The privacy page names the same. */
const UNCONFIRMED_DAYS = 30;
/** Between the warning and the deletion. */
const TOLD_DAYS = 7;
/** The next run continues. */
const MOST_AT_ONCE = 100;

type Parts = Pick<App, "config" | "db" | "payments" | "log">;

const before = (days: number) => sql`now() - make_interval(days => ${days}::int)`;

/** Unconfirmed, and nothing was ever paid, begun to be paid, redeemed or given. */
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

/** The warning must be as old, too, for accounts that were old when this rule began. */
const TO_END = and(
  UNUSED,
  lt(user.createdAt, before(UNCONFIRMED_DAYS)),
  lt(user.endingToldAt, before(TOLD_DAYS)),
) as SQL;

/** Warns their owners, and deletes the accounts a week later, as the delete button does. */
export async function endUnconfirmedAccounts(app: Parts, isStopping: () => boolean): Promise<void> {
  await tellOwners(app);
  const due = await app.db.select({ id: user.id }).from(user).where(TO_END).limit(MOST_AT_ONCE);
  for (const { id } of due) {
    if (isStopping()) return;
    await deleteUnusedAccount(app, id, TO_END);
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
    const warned = await tx
      .update(user)
      .set({ endingToldAt: sql`now()` })
      .where(inArray(user.id, due))
      .returning({ email: user.email });
    for (const { email } of warned) await enqueueMail(tx, site, endingMessage(email, site));
  });
}
