import { z } from "zod";
import type { Failure } from "../../http/errors.ts";
import { type BillingApp, readFields, requestPlanChange } from "./apply-plan-change.server.ts";
import { openPortal } from "./portal.server.ts";

const BUTTON_FIELDS = { do: z.enum(["resume", "card", "billing"]) };

export async function handlePlanAction(
  app: BillingApp,
  userId: string,
  form: FormData,
): Promise<{ ok: true; url: string } | Failure | null> {
  const fields = readFields(form, BUTTON_FIELDS);
  if (!fields) return null;
  if (fields.do !== "resume") return openPortal(app, userId, fields.do);
  const asked = await requestPlanChange(app, userId, { kind: "resume" });
  return asked.ok ? { ok: true, url: "/dashboard" } : asked;
}
