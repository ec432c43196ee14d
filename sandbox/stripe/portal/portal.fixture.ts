import type Stripe from "stripe";
import { openCheckout, press } from "../../testing/stripe.ts";

export const RETURN_URL = "http://shop.example/dashboard";

/** A card as somebody types it. */
export const CARD = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123" };

/** A customer who has paid for a plan, and a session of the portal for them. */
export async function openPortal(
  stripe: Stripe,
  fields: Partial<Stripe.BillingPortal.SessionCreateParams> = {},
) {
  const { customer, url } = await openCheckout(stripe);
  await press(url, "pay");
  const session = await stripe.billingPortal.sessions.create({
    customer,
    return_url: RETURN_URL,
    ...fields,
  });
  return { customer, session, url: session.url };
}

/** Sends a form of the portal, without following where it leads. */
export function post(url: string, fields: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields) });
}

/** What a page says, without its markup. */
export async function textOf(page: Response | Promise<Response>): Promise<string> {
  const markup = await (await page).text();
  return markup.replace(/<style>.*<\/style>|<[^>]*>/gs, " ").replace(/\s+/g, " ");
}
