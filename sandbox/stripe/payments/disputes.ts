import type Stripe from "stripe";
import { z } from "zod";
import { readJson } from "../../request-body.ts";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { findOr404, listObjects, lockOr404, pageParams } from "../store.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { decideDispute, openDispute } from "./dispute.ts";

const listSchema = z.strictObject({ ...pageParams, payment_intent: text.optional() });

export async function listDisputes({ tx, params }: ApiCall) {
  const { payment_intent, ...range } = readParams(listSchema, params);
  return listObjects(tx, "dispute", "/v1/disputes", { ...range, having: { payment_intent } });
}

async function lockOpenDispute(tx: Transaction, id: string): Promise<Stripe.Dispute> {
  const dispute = await lockOr404(tx, "dispute", id);
  if (["won", "lost", "warning_closed"].includes(dispute.status)) {
    throw invalidRequest("This dispute is already closed");
  }
  return dispute;
}

const word = z.string().regex(/^\w{1,100}$/);

const opening = { reason: word.default("fraudulent"), inquiry: z.boolean().default(false) };

const controlSchema = z.union([
  z.strictObject({ charge: word, ...opening }),
  z.strictObject({ payment_intent: word, ...opening }),
  z.strictObject({ dispute: word, status: z.enum(["won", "lost", "warning_closed"]) }),
]);

/** For tests: opens a dispute about a charge or a payment, or decides one. Answers with the dispute. */
export async function handleDisputeControl(request: Request, site: Site): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  const asked = controlSchema.safeParse(await readJson(request));
  if (!asked.success) throw invalidRequest(z.prettifyError(asked.error));
  const { data } = asked;
  const dispute = await inTransaction(site, null, async (tx) => {
    if ("dispute" in data) return decideDispute(tx, await lockOpenDispute(tx, data.dispute), data.status);
    const charge =
      "charge" in data
        ? data.charge
        : String((await findOr404(tx, "payment_intent", data.payment_intent)).latest_charge);
    await enterTimeOf(tx, [charge], { lock: true });
    const disputed = await lockOr404(tx, "charge", charge);
    if (!disputed.paid || disputed.disputed) {
      throw invalidRequest("Only a charge that was paid, and not disputed before, can be disputed.");
    }
    return openDispute(tx, disputed, data.reason, data.inquiry);
  });
  return Response.json(dispute);
}
