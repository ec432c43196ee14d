import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
  url,
} from "../api/params.ts";
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
import { ALL_FEATURES, featuresSchema, mergeFeatures, NO_FEATURES } from "./features.ts";

type Configuration = Stripe.BillingPortal.Configuration;

const DEFAULT_ID = "bpc_default";

const fieldsSchema = z.strictObject({
  business_profile: z
    .strictObject({
      headline: unsettable(text).optional(),
      privacy_policy_url: unsettable(url).optional(),
      terms_of_service_url: unsettable(url).optional(),
    })
    .optional(),
  default_return_url: unsettable(url).optional(),
  metadata,
  name: unsettable(text).optional(),
});

const createSchema = fieldsSchema.extend({ features: featuresSchema });

export async function createPortalConfiguration({ tx, params }: ApiCall): Promise<Configuration> {
  const { features, ...fields } = readParams(createSchema, params);
  const blank = newConfiguration(tx, { id: newId("bpc"), features: NO_FEATURES, is_default: false });
  const configuration = changed(blank, fields, mergeFeatures(blank.features, features));
  await insertObject(tx, configuration);
  await recordEvent(tx, { type: "billing_portal.configuration.created", data: { object: configuration } });
  return configuration;
}

export async function retrievePortalConfiguration({ tx, id }: ApiCall): Promise<Configuration> {
  return findOr404(tx, "billing_portal.configuration", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  active: boolean.optional(),
  is_default: boolean.optional(),
});

export async function listPortalConfigurations({ tx, params }: ApiCall) {
  const { active, is_default, ...range } = readParams(listSchema, params);
  return listObjects(tx, "billing_portal.configuration", "/v1/billing_portal/configurations", {
    ...range,
    having: { active, is_default },
  });
}

const updateSchema = fieldsSchema.extend({
  active: boolean.optional(),
  features: featuresSchema.optional(),
});

export async function updatePortalConfiguration({ tx, params, id }: ApiCall): Promise<Configuration> {
  const { features, active, ...fields } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "billing_portal.configuration", id);
  if (before.is_default && active === false) {
    throw invalidRequest("You can't deactivate the default configuration.", { param: "active" });
  }
  const after = {
    ...changed(before, fields, mergeFeatures(before.features, features)),
    active: active ?? before.active,
    updated: tx.now,
  };
  await replaceObject(tx, after);
  await recordEvent(tx, { type: "billing_portal.configuration.updated", data: { object: after } });
  return after;
}

/** The one that sessions have that name none; at Stripe it is made in the dashboard. */
export async function seedPortal(tx: Transaction): Promise<void> {
  const fields = { id: DEFAULT_ID, features: ALL_FEATURES, is_default: true };
  await insertObject(tx, newConfiguration(tx, fields));
}

export function defaultConfiguration(tx: Transaction): Promise<Configuration> {
  return findOr404(tx, "billing_portal.configuration", DEFAULT_ID);
}

function newConfiguration(
  tx: Transaction,
  fields: Pick<Configuration, "id" | "features" | "is_default">,
): Configuration {
  return {
    object: "billing_portal.configuration",
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: tx.now,
    default_return_url: null,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: tx.now,
    ...fields,
  };
}

function changed(
  configuration: Configuration,
  { business_profile, metadata, ...fields }: z.output<typeof fieldsSchema>,
  features: Configuration["features"],
): Configuration {
  return {
    ...configuration,
    ...fields,
    business_profile: { ...configuration.business_profile, ...business_profile },
    features,
    metadata: mergeMetadata(configuration.metadata ?? {}, metadata),
  };
}
