import { and, eq, ne } from "drizzle-orm";
import type { z } from "zod";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { type Failure, type FieldFailure, failure } from "../http/errors.ts";
import { type newPromoCode, termsOf } from "./promo-terms.server.ts";
import type { PromoTerms } from "./rules.ts";
import { promoCodes } from "./schema.ts";

type NewPromoCode = z.output<typeof newPromoCode>;

/** @returns `null` when the code already exists, which leaves it unchanged */
export async function createPromoCode(db: Queryable, input: NewPromoCode) {
  const [created] = await db
    .insert(promoCodes)
    .values({ code: input.code, note: input.note || null, ...termsOf(input) })
    .onConflictDoNothing()
    .returning();
  return created ?? null;
}

export type PromoCodeRow = typeof promoCodes.$inferSelect;

export async function findPromoCode(db: Queryable, code: string): Promise<PromoCodeRow | null> {
  const [row] = await db.select().from(promoCodes).where(eq(promoCodes.code, code));
  return row ?? null;
}

const UNKNOWN = "There is no such code.";

/** Audited. @returns `null` when it already exists, which leaves it unchanged */
export async function addPromoCode(
  db: Database,
  actor: Actor,
  input: NewPromoCode,
): Promise<PromoCodeRow | null> {
  return db.transaction(async (tx) => {
    const created = await createPromoCode(tx, input);
    if (!created) return null;
    const after = { ...termsOf(input), note: created.note };
    await recordChange(tx, actor, { action: "promo_code.created", subject: subjectOf(created), after });
    return created;
  });
}

/** @returns whether that changed it; a failure for an unknown code */
export async function setPaused(
  db: Database,
  actor: Actor,
  code: string,
  isPaused: boolean,
): Promise<{ ok: true; isChanged: boolean } | Failure> {
  return db.transaction(async (tx) => {
    const [changed] = await tx
      .update(promoCodes)
      .set({ active: !isPaused })
      .where(and(eq(promoCodes.code, code), ne(promoCodes.active, !isPaused)))
      .returning();
    if (changed) {
      await recordChange(tx, actor, {
        action: isPaused ? "promo_code.paused" : "promo_code.resumed",
        subject: subjectOf(changed),
        before: { active: isPaused },
        after: { active: !isPaused, ...endingOf(changed) },
      });
      return { ok: true, isChanged: true };
    }
    return (await findPromoCode(tx, code)) ? { ok: true, isChanged: false } : failure(404, UNKNOWN);
  });
}

export type PromoEdit = PromoTerms & { note: string | null };

export function editOf(row: PromoCodeRow): PromoEdit {
  const { tier, durationType, durationMonths, startsAt, expiresAt, maxUses, note } = row;
  const { confirmedOnly, oncePerMailbox } = row;
  const terms = { tier, durationType, durationMonths, startsAt, expiresAt, maxUses };
  return { ...terms, confirmedOnly, oncePerMailbox, note };
}

/** Detects a change by another operator since the form was loaded. */
export const versionOf = (row: PromoCodeRow): string => JSON.stringify(editOf(row));

/** Past redemptions keep what they gave. @param seen `versionOf` the form's code; `null`: any. @returns whether it changed */
export async function editPromoCode(
  db: Database,
  actor: Actor,
  code: string,
  edit: PromoEdit,
  seen: string | null,
): Promise<{ ok: true; isChanged: boolean } | Failure | FieldFailure> {
  return db.transaction(async (tx) => {
    // Redeeming waits for this lock and then reads the code again.
    const [row] = await tx.select().from(promoCodes).where(eq(promoCodes.code, code)).for("no key update");
    if (!row) return failure(404, UNKNOWN);
    if (seen !== null && seen !== versionOf(row))
      return failure(409, "Somebody changed this code after you opened this page. Open it again and look.");
    const changes = differences(editOf(row), edit);
    const refusal = refuseEdit(row, edit, Object.keys(changes.after));
    if (refusal) return refusal;
    if (Object.keys(changes.after).length === 0) return { ok: true, isChanged: false };
    await tx.update(promoCodes).set(changes.after).where(eq(promoCodes.code, code));
    await recordChange(tx, actor, {
      action: "promo_code.edited",
      subject: subjectOf(row),
      before: changes.before,
      after: { ...changes.after, ...endingOf(row) },
    });
    return { ok: true, isChanged: true };
  });
}

/** Never changes after the first redemption. */
const GIFT: readonly string[] = ["tier", "durationType", "durationMonths"] satisfies (keyof PromoEdit)[];

function refuseEdit({ code, usedCount }: PromoCodeRow, edit: PromoEdit, changed: readonly string[]) {
  const times = usedCount === 1 ? "once" : `${usedCount.toLocaleString("en-US")} times`;
  if (usedCount > 0 && changed.some((name) => GIFT.includes(name)))
    return failure(
      409,
      `${code} has been redeemed ${times}, so its plan and length stay as they are. Create another code instead.`,
    );
  if (edit.maxUses !== null && edit.maxUses < usedCount)
    return {
      ...failure(
        409,
        `It has been redeemed ${times}, so it can’t allow fewer uses than that. To stop it now, pause it.`,
      ),
      field: "maxUses",
    };
  if (edit.startsAt && edit.expiresAt && edit.startsAt >= edit.expiresAt)
    return { ...failure(400, "Give an end after the start"), field: "expiresAt" };
  return null;
}

function differences(before: PromoEdit, after: PromoEdit) {
  const isSame = (name: string) => {
    const [old, wanted] = [before, after].map((edit) => edit[name as keyof PromoEdit]);
    return old instanceof Date && wanted instanceof Date
      ? old.getTime() === wanted.getTime()
      : old === wanted;
  };
  const names = Object.keys(before).filter((name) => !isSame(name));
  const only = (edit: PromoEdit): Partial<PromoEdit> =>
    Object.fromEntries(Object.entries(edit).filter(([name]) => names.includes(name)));
  return { before: only(before), after: only(after) };
}

/** Codes of a batch are secret: the log names their batch, and only how they end. */
function subjectOf({ code, batchId }: PromoCodeRow): `${string}:${string}` {
  return batchId ? `promo_batch:${batchId}` : `promo_code:${code}`;
}

function endingOf({ code, batchId }: PromoCodeRow): { ending?: string } {
  return batchId ? { ending: code.slice(-4) } : {};
}
