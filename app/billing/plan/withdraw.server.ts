import { randomUUID } from "node:crypto";
import { z } from "zod";
import { emailAddress, personName } from "../../auth/person-fields.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { askForPlan, type PlanParts, readFields } from "./ask.server.ts";
import { withdrawalMessage } from "./messages.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { withdrawals } from "./schema.ts";

/** The statement of the first step; the second sends it again with `confirm`. */
const STATEMENT_FIELDS = {
  name: z.string().max(1000),
  email: z.string().max(1000),
  confirm: z.literal("1").optional(),
};

const statementSchema = z.object({ name: personName, email: emailAddress });

export interface Statement {
  name: string;
  email: string;
}

/** What is wrong with a statement, by its fields. */
export type StatementErrors = Partial<Statement>;

/** A statement out of a form. @returns `null` for a form with other fields */
export function readStatement(
  form: FormData,
): { statement: Statement; isConfirmed: boolean; errors: StatementErrors } | null {
  const fields = readFields(form, STATEMENT_FIELDS);
  if (!fields) return null;
  const typed = { name: fields.name.trim(), email: fields.email.trim() };
  const checked = statementSchema.safeParse(typed);
  const statement = checked.data ?? typed;
  const issues = checked.error?.issues ?? [];
  const errors = Object.fromEntries(issues.toReversed().map(({ path, message }) => [path[0], message]));
  return { statement, isConfirmed: fields.confirm !== undefined, errors };
}

/**
 * Withdraws from the contract of the user's open subscription: it is recorded and its receipt queued in one transaction, then
 * the plan ends and everything paid for it goes back.
 *
 * Failures: 409 when the right does not hold, or no longer; those of `askForPlan`.
 */
export async function withdraw(
  app: PlanParts,
  userId: string,
  { name, email }: Statement,
): Promise<{ ok: true } | Failure> {
  const plan = await readPlanOverview(app, userId);
  if (!plan?.withdrawUntil)
    return failure(409, "The 14 days to withdraw are over, or there is nothing to withdraw from.");
  const { site } = app.config;
  return askForPlan(app, userId, { kind: "withdraw" }, async (tx, { subscriptionId, requestedAt }) => {
    const id = randomUUID();
    const declared = await tx
      .insert(withdrawals)
      .values({ id, userId, subscriptionId, name, email, declaredAt: requestedAt })
      .onConflictDoNothing()
      .returning();
    if (declared.length === 0) return;
    const declaration = {
      name,
      email,
      planName: plan.name,
      reference: subscriptionId,
      declaredAt: requestedAt,
    };
    await enqueueMail(tx, site, withdrawalMessage(declaration, site));
  });
}
