import { randomBytes } from "node:crypto";
import Stripe from "stripe";
import { z } from "zod";
import { isLoopback } from "../../own-requests.ts";
import { notInSandbox } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  list,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
  url,
} from "../api/params.ts";
import {
  findOr404,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";

const enabledEvents = list(text).refine((events) => events.length > 0, {
  error: "You must enable at least one event.",
});

const createSchema = z.strictObject({
  url,
  enabled_events: enabledEvents,
  api_version: z.literal(Stripe.API_VERSION).optional(),
  description: unsettable(text).optional(),
  metadata,
});

/** The only answer that contains the secret. */
export async function createWebhookEndpoint({ tx, params }: ApiCall): Promise<Stripe.WebhookEndpoint> {
  const { metadata, description = null, api_version = null, ...fields } = readParams(createSchema, params);
  assertLoopback(fields.url);
  const endpoint: Stripe.WebhookEndpoint = {
    id: newId("we"),
    object: "webhook_endpoint",
    api_version,
    application: null,
    created: tx.now,
    description,
    livemode: false,
    metadata: mergeMetadata({}, metadata),
    status: "enabled",
    ...fields,
  };
  const secret = `whsec_${randomBytes(16).toString("hex")}`;
  await insertObject(tx, endpoint);
  await tx.client.query("INSERT INTO sandbox_stripe.webhook_secrets (endpoint, secret) VALUES ($1, $2)", [
    endpoint.id,
    secret,
  ]);
  return { ...endpoint, secret };
}

export async function retrieveWebhookEndpoint({ tx, id }: ApiCall): Promise<Stripe.WebhookEndpoint> {
  return findOr404(tx, "webhook_endpoint", id);
}

export async function listWebhookEndpoints({ tx, params }: ApiCall) {
  const range = readParams(z.strictObject(pageParams), params);
  return listObjects(tx, "webhook_endpoint", "/v1/webhook_endpoints", range);
}

const updateSchema = z.strictObject({
  url: url.optional(),
  enabled_events: enabledEvents.optional(),
  description: unsettable(text).optional(),
  disabled: boolean.optional(),
  metadata,
});

/** What waits for an endpoint that is disabled is never sent. */
export async function updateWebhookEndpoint({ tx, params, id }: ApiCall): Promise<Stripe.WebhookEndpoint> {
  const { metadata, disabled, ...changes } = readParams(updateSchema, params);
  if (changes.url) assertLoopback(changes.url);
  const before = await lockOr404(tx, "webhook_endpoint", id);
  const after: Stripe.WebhookEndpoint = {
    ...before,
    ...changes,
    ...(disabled !== undefined && { status: disabled ? "disabled" : "enabled" }),
    metadata: mergeMetadata(before.metadata, metadata),
  };
  await replaceObject(tx, after);
  if (disabled) await tx.client.query("DELETE FROM sandbox_stripe.deliveries WHERE endpoint = $1", [id]);
  return after;
}

export async function deleteWebhookEndpoint({ tx, id }: ApiCall): Promise<Stripe.DeletedWebhookEndpoint> {
  const { object } = await lockOr404(tx, "webhook_endpoint", id);
  await tx.client.query("DELETE FROM sandbox_stripe.objects WHERE id = $1", [id]);
  return { id, object, deleted: true };
}

/** Nothing that the sandbox does leaves the machine, least of all where everybody can reach it (SANDBOX=public). */
function assertLoopback(address: string): void {
  if (!isLoopback(new URL(address).hostname)) throw notInSandbox("A webhook endpoint outside this machine");
}
