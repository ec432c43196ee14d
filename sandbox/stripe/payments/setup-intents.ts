import type Stripe from "stripe";
import { z } from "zod";
import { cardError, invalidRequest, type StripeApiError } from "../api/errors.ts";
import { type ApiCall, boolean, mergeMetadata, metadata, readParams, text, url } from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { recordEvent } from "../objects/events.ts";
import {
  findOr404,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { attachCard, payableCard } from "./attachment.ts";
import { needsAuthentication, refusalToSave, rememberAuthentication } from "./card-check.ts";

const createSchema = z.strictObject({
  customer: text.optional(),
  description: text.optional(),
  payment_method: text.optional(),
  confirm: boolean.optional(),
  usage: z.enum(["off_session", "on_session"]).optional(),
  return_url: url.optional(),
  metadata,
});

/** Saves a card for later payments: https://docs.stripe.com/api/setup_intents */
export async function createSetupIntent({ tx, params }: ApiCall) {
  const fields = readParams(createSchema, params);
  if (fields.customer) await existingCustomer(tx, fields.customer);
  const card = fields.payment_method && (await payableCard(tx, fields.payment_method, "payment_method"));
  const id = newId("seti");
  const intent: Stripe.SetupIntent = {
    id,
    object: "setup_intent",
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_sandbox`,
    created: tx.now,
    customer: fields.customer ?? null,
    customer_account: null,
    description: fields.description ?? null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: mergeMetadata({}, fields.metadata),
    next_action: null,
    on_behalf_of: null,
    payment_method: card ? card.id : null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ["card"],
    single_use_mandate: null,
    status: card ? "requires_confirmation" : "requires_payment_method",
    usage: fields.usage ?? "off_session",
  };
  await insertObject(tx, intent);
  await recordEvent(tx, { type: "setup_intent.created", data: { object: intent } });
  return card && fields.confirm ? setUp(tx, intent, card, { return_url: fields.return_url }) : intent;
}

export async function retrieveSetupIntent({ tx, id }: ApiCall): Promise<Stripe.SetupIntent> {
  return findOr404(tx, "setup_intent", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  payment_method: text.optional(),
});

export async function listSetupIntents({ tx, params }: ApiCall) {
  const { customer, payment_method, ...range } = readParams(listSchema, params);
  const having = { customer, payment_method };
  return listObjects(tx, "setup_intent", "/v1/setup_intents", { ...range, having });
}

const confirmSchema = z.strictObject({ payment_method: text.optional(), return_url: url.optional() });

export async function confirmSetupIntent({ tx, params, id }: ApiCall) {
  const { payment_method, return_url } = readParams(confirmSchema, params);
  const intent = await lockOr404(tx, "setup_intent", id);
  const chosen = payment_method ?? (intent.payment_method && String(intent.payment_method));
  if (intent.status === "succeeded" || !chosen) {
    const message = `You cannot confirm this SetupIntent because it has a status of ${intent.status}.`;
    throw invalidRequest(message, { code: "setup_intent_unexpected_state" });
  }
  return setUp(tx, intent, await payableCard(tx, chosen, "payment_method"), { return_url });
}

interface Attempt {
  /** The cardholder has just confirmed at their bank, or refused to. */
  authentication?: "succeeded" | "failed";
  /** Where the bank's page leads afterwards. */
  return_url?: string | undefined;
}

/** A refused card is Stripe's 402, and what was tried is kept. */
export async function setUp(
  tx: Transaction,
  intent: Stripe.SetupIntent,
  card: Stripe.PaymentMethod,
  { authentication, return_url }: Attempt = {},
): Promise<Stripe.SetupIntent | StripeApiError> {
  if (!authentication && (await needsAuthentication(tx, card))) {
    const url = `${tx.publicOrigin}/sandbox/stripe/authenticate/${intent.id}`;
    return change(tx, "setup_intent.requires_action", {
      ...intent,
      next_action: { redirect_to_url: { return_url: return_url ?? null, url }, type: "redirect_to_url" },
      payment_method: card.id,
      status: "requires_action",
    });
  }
  const refusal =
    authentication === "failed"
      ? {
          code: "setup_intent_authentication_failure" as const,
          message:
            "The latest attempt to set up the payment method has failed because authentication failed.",
        }
      : refusalToSave(tx, card);
  if (refusal) {
    const last_setup_error = { ...refusal, payment_method: card, type: "card_error" };
    const failed = await change(tx, "setup_intent.setup_failed", {
      ...intent,
      last_setup_error,
      next_action: null,
      payment_method: null,
      status: "requires_payment_method",
    });
    const { code, message, ...more } = refusal;
    return cardError(message, code, { ...more, setup_intent: failed });
  }
  if (authentication) await rememberAuthentication(tx, card.id);
  if (intent.customer && !card.customer) await attachCard(tx, card, String(intent.customer));
  return change(tx, "setup_intent.succeeded", {
    ...intent,
    last_setup_error: null,
    next_action: null,
    payment_method: card.id,
    status: "succeeded",
  });
}

async function change(
  tx: Transaction,
  type: "setup_intent.requires_action" | "setup_intent.setup_failed" | "setup_intent.succeeded",
  intent: Stripe.SetupIntent,
): Promise<Stripe.SetupIntent> {
  await replaceObject(tx, intent);
  await recordEvent(tx, { type, data: { object: intent } });
  return intent;
}
