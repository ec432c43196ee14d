/**
 * A shop that knows the sandboxes by their addresses alone. Its handlers take a Request and answer with a Response, as those
 * of React Router and Next.js do. Start `npx ownwords-sandbox --site http://localhost:3000` beside it.
 */
import { createServer } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { createTransport } from "nodemailer";
import Stripe from "stripe";

const origin = process.env.ORIGIN ?? "http://localhost:3000";
const port = Number(process.env.SANDBOX_PORT ?? 4010);
const stripe = new Stripe("sk_test_sandbox", { host: "127.0.0.1", port: port + 1, protocol: "http" });
const mail = createTransport(`smtp://127.0.0.1:${port + 2}`);
const google = `http://localhost:${port}/sandbox/identity/google`;
const [client, secret, callback] = ["sandbox-google", "sandbox-google-secret", `${origin}/signed-in`];
const verifier = "v".repeat(43);

const routes: Record<string, (request: Request) => Promise<Response>> = {
  async "/sign-in"() {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const query = new URLSearchParams({
      ...{ client_id: client, redirect_uri: callback, response_type: "code", scope: "openid email" },
      ...{ code_challenge_method: "S256", code_challenge: Buffer.from(digest).toString("base64url") },
    });
    return Response.redirect(`${google}/authorize?${query}`);
  },

  async "/signed-in"({ url }) {
    const body = new URLSearchParams({
      ...{ grant_type: "authorization_code", code: new URL(url).searchParams.get("code") ?? "" },
      ...{ redirect_uri: callback, client_id: client, client_secret: secret, code_verifier: verifier },
    });
    const { id_token } = await (await fetch(`${google}/token`, { method: "POST", body })).json();
    const { payload } = await jwtVerify(id_token, createRemoteJWKSet(new URL(`${google}/jwks`)));
    const customer = await stripe.customers.create({ email: String(payload.email) });
    const product = await stripe.products.create({ name: "Tea, monthly" });
    const recurring = { interval: "month" } as const;
    const price = await stripe.prices.create({
      product: product.id,
      currency: "eur",
      unit_amount: 900,
      recurring,
    });
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      customer: customer.id,
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: `${origin}/paid`,
    });
    return Response.redirect(session.url ?? origin);
  },

  async "/webhooks/stripe"(request) {
    const signature = request.headers.get("stripe-signature") ?? "";
    const event = stripe.webhooks.constructEvent(await request.text(), signature, "whsec_sandbox");
    if (event.type !== "checkout.session.completed") return new Response();
    const to = event.data.object.customer_details?.email ?? "";
    await mail.sendMail({
      from: "shop@tea.example",
      to,
      subject: "Your tea is on its way",
      text: "Thank you.",
    });
    return new Response();
  },
};

createServer(
  createRequestListener((request) => routes[new URL(request.url).pathname]?.(request) ?? new Response("Tea")),
).listen(new URL(origin).port);
