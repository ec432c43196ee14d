import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, integerBetween, readParams, single, text, url } from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { recordEvent } from "../objects/events.ts";
import { findObject, findOr404, insertObject, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { defaultConfiguration } from "./configurations.ts";

const afterCompletionSchema = z.strictObject({
  type: z.enum(["hosted_confirmation", "portal_homepage", "redirect"]),
  hosted_confirmation: z.strictObject({ custom_message: text.max(500).optional() }).optional(),
  redirect: z.strictObject({ return_url: url }).optional(),
});

const ofSubscription = z.strictObject({ subscription: text });

const flowSchema = z.strictObject({
  type: z.enum([
    "customer_update",
    "payment_method_update",
    "subscription_cancel",
    "subscription_update",
    "subscription_update_confirm",
  ]),
  after_completion: afterCompletionSchema.optional(),
  subscription_cancel: ofSubscription.optional(),
  subscription_update: ofSubscription.optional(),
  subscription_update_confirm: z
    .strictObject({
      subscription: text,
      items: single(
        z.strictObject({ id: text, price: text, quantity: integerBetween(1, 999_999).optional() }),
      ),
    })
    .optional(),
});

const createSchema = z.strictObject({
  customer: text,
  configuration: text.optional(),
  flow_data: flowSchema.optional(),
  locale: z.enum(["auto", "en"]).optional(),
  return_url: url.optional(),
});

/** https://docs.stripe.com/api/customer_portal/sessions/create */
export async function createPortalSession({ tx, params, publicOrigin }: ApiCall) {
  const { customer, flow_data, ...fields } = readParams(createSchema, params);
  await existingCustomer(tx, customer);
  const configuration = await configurationFor(tx, fields.configuration);
  const flow = flow_data ? await flowFor(tx, customer, flow_data) : null;
  const id = newId("bps");
  const session: Stripe.BillingPortal.Session = {
    id,
    object: "billing_portal.session",
    configuration: configuration.id,
    created: tx.now,
    customer,
    customer_account: null,
    flow,
    livemode: false,
    locale: fields.locale ?? null,
    on_behalf_of: null,
    return_url: fields.return_url ?? configuration.default_return_url,
    url: `${publicOrigin}/sandbox/stripe/portal/${id}`,
  };
  await insertObject(tx, session);
  await tx.client.query("INSERT INTO sandbox_stripe.portal_visits (session) VALUES ($1)", [id]);
  await recordEvent(tx, { type: "billing_portal.session.created", data: { object: session } });
  return session;
}

async function configurationFor(tx: Transaction, id: string | undefined) {
  if (id === undefined) return defaultConfiguration(tx);
  const configuration = await findObject(tx, "billing_portal.configuration", id);
  if (!configuration) throw resourceMissing("configuration", id, "configuration");
  if (configuration.active) return configuration;
  throw invalidRequest(`The configuration ${id} is not active.`, { param: "configuration" });
}

async function flowFor(
  tx: Transaction,
  customer: string,
  flow: z.output<typeof flowSchema>,
): Promise<Stripe.BillingPortal.Session.Flow> {
  const { type, after_completion } = flow;
  const details = {
    subscription_cancel: flow.subscription_cancel ?? null,
    subscription_update: flow.subscription_update ?? null,
    subscription_update_confirm: flow.subscription_update_confirm ?? null,
  };
  if (type !== "customer_update" && type !== "payment_method_update") {
    const subscription = details[type]?.subscription;
    const param = `flow_data[${type}][subscription]`;
    if (!subscription) {
      throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
    }
    await assertSubscriptionOf(tx, customer, subscription, param);
  }
  if (after_completion?.type === "redirect" && !after_completion.redirect) {
    const param = "flow_data[after_completion][redirect]";
    throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  }
  const { subscription_cancel: cancel, subscription_update_confirm: confirm } = details;
  return {
    after_completion: {
      hosted_confirmation:
        after_completion?.type === "hosted_confirmation"
          ? { custom_message: after_completion.hosted_confirmation?.custom_message ?? null }
          : null,
      redirect: after_completion?.redirect ?? null,
      type: after_completion?.type ?? "portal_homepage",
    },
    customer_update: type === "customer_update" ? {} : null,
    subscription_cancel: cancel && { retention: null, ...cancel },
    subscription_pause: null,
    subscription_update: details.subscription_update,
    subscription_update_confirm: confirm && {
      discounts: null,
      items: confirm.items.map(({ quantity, ...item }) => ({ ...item, ...(quantity && { quantity }) })),
      subscription: confirm.subscription,
    },
    type,
  };
}

/** Somebody else's subscription is not told from one that is missing. */
async function assertSubscriptionOf(tx: Transaction, customer: string, id: string, param: string) {
  const subscription = await findObject(tx, "subscription", id);
  if (subscription?.customer !== customer) throw resourceMissing("subscription", id, param);
}

/** How long the link works, in seconds: until it is first followed, and from one page to the next. */
const UNVISITED_SECONDS = 5 * 60;
const VISITED_SECONDS = 60 * 60;

/** The session of a portal page, which counts as a visit; `null` when there is none, `expired` when it is over. */
export async function visitPortalSession(
  tx: Transaction,
  id: string,
): Promise<Stripe.BillingPortal.Session | "expired" | null> {
  const session = await findObject(tx, "billing_portal.session", id);
  if (!session) return null;
  const { rowCount } = await tx.client.query(
    `UPDATE sandbox_stripe.portal_visits SET visited_at = now()
     WHERE session = $1 AND CASE WHEN visited_at IS NULL
       THEN created_at > now() - make_interval(secs => $2)
       ELSE visited_at > now() - make_interval(secs => $3) END`,
    [id, UNVISITED_SECONDS, VISITED_SECONDS],
  );
  return rowCount === 1 ? session : "expired";
}

/** What the customer may do, as it is set now. */
export async function configurationOf(
  tx: Transaction,
  session: Stripe.BillingPortal.Session,
): Promise<Stripe.BillingPortal.Configuration> {
  return findOr404(tx, "billing_portal.configuration", String(session.configuration));
}
