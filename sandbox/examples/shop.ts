/** A site with handlers like those of React Router and Next.js, beside `npx ownwords-sandbox --site http://localhost:3000`. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { decodeJwt } from "jose";
import { createTransport } from "nodemailer";
import Stripe from "stripe";

const { ORIGIN: origin = "http://localhost:3000", SANDBOX_PORT = "4010" } = process.env;
const [host, port] = ["127.0.0.1", Number(SANDBOX_PORT)];
const stripe = new Stripe("sk_test_sandbox", { host, port: port + 1, protocol: "http" });
const mail = createTransport({ host, port: port + 2 });
const google = `http://localhost:${port}/sandbox/identity/google`;
const client = { client_id: "sandbox-google", redirect_uri: `${origin}/signed-in` };
const verifier = "a-secret-of-this-browser-of-forty-three-letters-or-more";

const routes: Record<string, (request: Request) => Promise<Response>> = {
  async "/sign-in"() {
    const code_challenge = createHash("sha256").update(verifier).digest("base64url");
    const pkce = { code_challenge, code_challenge_method: "S256" };
    const query = { ...client, ...pkce, response_type: "code", scope: "openid email" };
    return Response.redirect(`${google}/authorize?${new URLSearchParams(query)}`);
  },

  async "/signed-in"({ url }) {
    const code = new URL(url).searchParams.get("code") ?? "";
    const secrets = { client_secret: "sandbox-google-secret", code_verifier: verifier };
    const body = new URLSearchParams({ ...client, ...secrets, code, grant_type: "authorization_code" });
    const { id_token } = await (await fetch(`${google}/token`, { method: "POST", body })).json();
    const customer = await stripe.customers.create({ email: String(decodeJwt(id_token).email) });
    const product = await stripe.products.create({ name: "Tea, monthly" });
    const terms = { currency: "eur", unit_amount: 900, recurring: { interval: "month" } } as const;
    const price = await stripe.prices.create({ product: product.id, ...terms });
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
    if (event.type === "checkout.session.completed") {
      const to = event.data.object.customer_details?.email ?? "";
      await mail.sendMail({ from: "shop@tea.example", to, subject: "Your tea is on its way" });
    }
    return new Response();
  },
};

const server = createServer(
  createRequestListener((request) => routes[new URL(request.url).pathname]?.(request) ?? new Response("Tea")),
);
server.listen(new URL(origin).port);
