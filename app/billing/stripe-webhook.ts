import { fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/stripe-webhook.ts";
import { receiveDelivery } from "./webhook.server.ts";

/** Stripe delivers its events here, signed. */
export async function action({ request, context }: Route.ActionArgs) {
  const body = Buffer.from(await request.arrayBuffer());
  const signature = request.headers.get("stripe-signature") ?? "";
  const { text, status } = await receiveDelivery(fromContext(context).app, body, signature);
  return new Response(text, {
    status,
    headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" },
  });
}

export function loader() {
  return new Response("Stripe delivers here with POST", { status: 405, headers: { Allow: "POST" } });
}
