import type Stripe from "stripe";
import { z } from "zod";
import { readJson } from "../../request-body.ts";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, boolean, mergeMetadata, metadata, readParams, text } from "../api/params.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { findOr404, listObjects, lockOr404, pageParams, replaceObject } from "../store.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { decideDispute, openDispute } from "./dispute.ts";

export async function retrieveDispute({ tx, id }: ApiCall): Promise<Stripe.Dispute> {
  return findOr404(tx, "dispute", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  charge: text.optional(),
  payment_intent: text.optional(),
});

export async function listDisputes({ tx, params }: ApiCall) {
  const { charge, payment_intent, ...range } = readParams(listSchema, params);
  return listObjects(tx, "dispute", "/v1/disputes", { ...range, having: { charge, payment_intent } });
}

/** Stripe's own words that decide a test dispute: https://docs.stripe.com/testing#evidence */
const VERDICTS = new Map([
  ["winning_evidence", "won"],
  ["losing_evidence", "lost"],
] as const);

const updateSchema = z.strictObject({
  evidence: z.strictObject({ uncategorized_text: text.optional() }).optional(),
  submit: boolean.optional(),
  metadata,
});

export async function updateDispute({ tx, params, id }: ApiCall): Promise<Stripe.Dispute> {
  const { evidence, submit = true, metadata } = readParams(updateSchema, params);
  const before = await lockOpenDispute(tx, id);
  const after: Stripe.Dispute = {
    ...before,
    evidence: { ...before.evidence, ...evidence },
    evidence_details: { ...before.evidence_details, has_evidence: evidence !== undefined },
    metadata: mergeMetadata(before.metadata, metadata),
    ...(evidence && submit && { status: "under_review" }),
  };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "charge.dispute.updated", data });
  const verdict = VERDICTS.get(evidence?.uncategorized_text as "winning_evidence");
  return verdict && submit ? decideDispute(tx, after, verdict) : after;
}

/** Gives the dispute up: https://docs.stripe.com/api/disputes/close */
export async function closeDispute({ tx, id }: ApiCall): Promise<Stripe.Dispute> {
  return decideDispute(tx, await lockOpenDispute(tx, id), "lost");
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
