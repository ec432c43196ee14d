import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, readParams, text, url } from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { recordEvent } from "../objects/events.ts";
import { findObject, insertObject, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";

const flowSchema = z.strictObject({
  type: z.enum(["payment_method_update"]),
  after_completion: z
    .strictObject({
      type: z.enum(["portal_homepage", "redirect"]),
      redirect: z.strictObject({ return_url: url }).optional(),
    })
    .optional(),
});

const createSchema = z.strictObject({
  customer: text,
  flow_data: flowSchema.optional(),
  return_url: url.optional(),
});

/** https://docs.stripe.com/api/customer_portal/sessions/create */
export async function createPortalSession({ tx, params, publicOrigin }: ApiCall) {
  const { customer, flow_data, return_url = null } = readParams(createSchema, params);
  await existingCustomer(tx, customer);
  const id = newId("bps");
  const session: Stripe.BillingPortal.Session = {
    id,
    object: "billing_portal.session",
    configuration: "bpc_default",
    created: tx.now,
    customer,
    customer_account: null,
    flow: flow_data ? flowFrom(flow_data) : null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url,
    url: `${publicOrigin}/sandbox/stripe/portal/${id}`,
  };
  await insertObject(tx, session);
  await tx.client.query("INSERT INTO sandbox_stripe.portal_visits (session) VALUES ($1)", [id]);
  await recordEvent(tx, { type: "billing_portal.session.created", data: { object: session } });
  return session;
}

function flowFrom({ type, after_completion: after }: z.output<typeof flowSchema>) {
  if (after?.type === "redirect" && !after.redirect) {
    const param = "flow_data[after_completion][redirect]";
    throw invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  }
  const flow: Stripe.BillingPortal.Session.Flow = {
    after_completion: {
      hosted_confirmation: null,
      redirect: after?.redirect ?? null,
      type: after?.type ?? "portal_homepage",
    },
    customer_update: null,
    subscription_cancel: null,
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: null,
    type,
  };
  return flow;
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
