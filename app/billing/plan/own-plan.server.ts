import { z } from "zod";
import type { Config } from "../../config/config.server.ts";
import { type AnswerOf, type Given, together } from "../../db/parts.server.ts";
import type { Failure } from "../../http/errors.ts";
import { type PlanParts, readFields, requestPlanChange } from "./apply-plan-change.server.ts";
import { cardPart, describeCard, describePlan, invoicesPart, planPart } from "./plan-overview.server.ts";
import { openPortal } from "./portal.server.ts";

/** How many invoices the dashboard shows; the rest have a page of their own. */
const SHOWN_INVOICES = 12;

/** What `describeOwnPlan` describes, for a page that asks more. */
export function ownPlanPart(userId: Given) {
  return together({
    plan: planPart(userId),
    card: cardPart(userId),
    invoices: invoicesPart(userId, SHOWN_INVOICES + 1),
  });
}

/** A user's plan, the last one if it is over, with their card and their newest invoices; `null`: they never paid. */
export function describeOwnPlan(
  { plan: row, card, invoices }: AnswerOf<ReturnType<typeof ownPlanPart>>,
  { site }: Pick<Config, "site">,
) {
  if (!row) return null;
  const plan = describePlan(row, site.withdrawal);
  return {
    plan,
    card: describeCard(card, plan.next?.at ?? null),
    invoices: invoices.slice(0, SHOWN_INVOICES),
    hasMoreInvoices: invoices.length > SHOWN_INVOICES,
  };
}

const BUTTON_FIELDS = { do: z.enum(["resume", "card", "billing"]) };

/**
 * Does what a button of the dashboard is for.
 *
 * @returns where to go on; a failure of `requestPlanChange` or `openPortal`; `null` for a form that is not the dashboard's
 */
export async function handlePlanAction(
  app: PlanParts,
  userId: string,
  form: FormData,
): Promise<{ ok: true; url: string } | Failure | null> {
  const fields = readFields(form, BUTTON_FIELDS);
  if (!fields) return null;
  if (fields.do !== "resume") return openPortal(app, userId, fields.do);
  const asked = await requestPlanChange(app, userId, { kind: "resume" });
  return asked.ok ? { ok: true, url: "/dashboard" } : asked;
}
