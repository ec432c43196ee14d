import { fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/stripe-webhook.ts";
import { receiveStripeEvent } from "./webhook.server.ts";

export function action({ request, context }: Route.ActionArgs) {
  return receiveStripeEvent(fromContext(context).app, request);
}

export function loader() {
  return new Response("Stripe delivers here with POST", { status: 405, headers: { Allow: "POST" } });
}
