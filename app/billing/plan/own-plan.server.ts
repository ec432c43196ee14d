import { z } from "zod";
import type { App } from "../../http/context.server.ts";
import type { Failure } from "../../http/errors.ts";
import { type PlanParts, readFields, requestPlanChange } from "./apply-plan-change.server.ts";
import { readPlan } from "./plan-overview.server.ts";
import { openPortal } from "./portal.server.ts";

/** How many invoices the dashboard shows; the rest have a page of their own. */
const SHOWN_INVOICES = 12;

/** A user's plan, the last one if it is over, with their card and their newest invoices; `null`: they never paid. */
export async function readOwnPlan(app: Pick<App, "db" | "config">, userId: string) {
  const found = await readPlan(app, userId);
  if (!found) return null;
  const { plan, card, invoices } = found;
  return {
    ...{ plan, card },
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
