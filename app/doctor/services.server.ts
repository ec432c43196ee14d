import { createTransport } from "nodemailer";
import Stripe from "stripe";
import type { Payments } from "../billing/stripe.server.ts";
import type { Config } from "../config/config.server.ts";
import type { MailConfig } from "../config/service-config.server.ts";
import { MailError } from "../mail/mail-error.server.ts";
import { startWarnings } from "../start-warnings.server.ts";
import { type Found, fail, ok, warn, worstOf } from "./finding.ts";

const TIMEOUT_MILLISECONDS = 7_000;
export const ONCE = { timeout: TIMEOUT_MILLISECONDS, maxNetworkRetries: 0 };

export function checkSettings(config: Config): Found {
  const { isProduction, publicOrigin, payments, mail, version } = config;
  const mode = isProduction ? "production" : "development, with sandboxes for what has no keys";
  return [
    ok(
      `version ${version.text}${version.commit ? "" : " (commit not known: set COMMIT)"}; Node ${process.versions.node}; ${mode}; ${publicOrigin}; payments: ${payments.mode}; mail: ${mail.mode}`,
    ),
    payments.mode === "off" &&
      warn(`payments are off, so nobody can buy a plan: ${payments.reason}`, "set both, see docs/stripe.md"),
    mail.mode === "off" &&
      fail(
        `mail is off, so nobody can confirm an address or reset a password: ${mail.reason}`,
        "set SMTP_URL and MAIL_FROM; what waits is sent then",
      ),
    config.isSandboxPublic &&
      warn(
        "the sandboxes are open to everybody: anyone may sign in as anyone and read all mail",
        "set NODE_ENV=production for a site with users",
      ),
    ...startWarnings(config).map((says) => warn(says, "see .env.example, and start the site again")),
  ];
}

/** At its public address: by way of its name, certificate and proxy. */
export async function checkSite({ publicOrigin }: Pick<Config, "publicOrigin">): Promise<Found> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  try {
    const { status } = await fetch(`${publicOrigin}/readyz`, { redirect: "manual", signal });
    if (status === 200) return [ok(`${publicOrigin} answers and can serve`)];
    if (status !== 503)
      return [warn(`${publicOrigin}/readyz answers ${status}, not 200`, "look at the proxy’s settings")];
    const advice =
      "is the database away, its disk full, or the process starting or ending? Its log says which";
    return [fail(`${publicOrigin} says that it cannot serve (503 at /readyz)`, advice)];
  } catch (error) {
    const advice = "is the site running, its proxy, its certificate valid, and does the name lead here?";
    return [fail(`${publicOrigin} cannot be reached from here: ${reasonOf(error)}`, advice)];
  }
}

/** The innermost cause: fetch only says "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}

export async function checkStripe(
  payments: Payments,
  {
    publicOrigin,
    payments: { mode },
    site,
    currency,
  }: Pick<Config, "publicOrigin" | "payments" | "site" | "currency">,
): Promise<Found> {
  if (!payments.isOn) return [];
  const found = await checkEvents(payments.stripe, publicOrigin, mode);
  return site.plusTax && worstOf(found.filter((each) => each !== false)) === "ok"
    ? [...found, ...(await checkTax(payments.stripe, currency))]
    : found;
}

async function checkEvents(
  stripe: Stripe,
  publicOrigin: string,
  mode: Config["payments"]["mode"],
): Promise<Found> {
  try {
    await stripe.products.list({ limit: 1 }, ONCE);
    if (mode === "sandbox") return [ok("the sandbox answers")];
    const wanted = `${publicOrigin}/webhooks/stripe`;
    const { data } = await stripe.webhookEndpoints.list({ limit: 100 }, ONCE);
    const status = data.find(({ url }) => url === wanted)?.status ?? "not registered";
    if (status === "enabled") return [ok(`Stripe takes the key, and sends its events to ${wanted}`)];
    return [fail(`Stripe’s endpoint for ${wanted} is ${status}`, "see docs/stripe.md, part 4")];
  } catch (error) {
    if (mode === "sandbox")
      return [fail("the payments sandbox does not answer", "it runs within the site: is that running?")];
    if (error instanceof Stripe.errors.StripePermissionError)
      return [warn("the key may not read products and endpoints", "docs/stripe.md lists what it needs")];
    if (error instanceof Stripe.errors.StripeAuthenticationError)
      return [fail("Stripe does not know the key", "set STRIPE_SECRET_KEY anew, from Stripe’s dashboard")];
    const advice = "status.stripe.com; the site goes on by itself when Stripe does";
    return [fail("Stripe does not answer: nobody can pay now, and what was paid is known later", advice)];
  }
}

/** https://docs.stripe.com/tax/products-prices-tax-categories-tax-behavior#default-tax-behavior */
function isInclusive(behavior: string | null, currency: string): boolean {
  return behavior === "inferred_by_currency" ? !["usd", "cad"].includes(currency) : behavior === "inclusive";
}

const TAX_ADVICE = "see docs/stripe.md, part 6, or set STRIPE_TAX=off";

/** Needed by STRIPE_TAX=on: without it no payment page opens. */
async function checkTax(stripe: Stripe, currency: string): Promise<Found> {
  try {
    const { status, status_details: details, defaults } = await stripe.tax.settings.retrieve({}, ONCE);
    if (status !== "active") {
      const missing = details.pending?.missing_fields?.join(", ") || "something";
      const says = `STRIPE_TAX is on, and Stripe Tax is not set up: nobody can buy a plan. Missing: ${missing}`;
      return [fail(says, TAX_ADVICE)];
    }
    const { data: registered } = await stripe.tax.registrations.list({ status: "active", limit: 1 }, ONCE);
    return [
      ok("Stripe Tax is set up"),
      registered.length === 0 &&
        warn("STRIPE_TAX is on, and Stripe has no tax registration: no tax is added anywhere", TAX_ADVICE),
      isInclusive(defaults.tax_behavior, currency) &&
        warn("Stripe takes tax out of the prices, and the pages say that it is added", TAX_ADVICE),
    ];
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    return [warn(`STRIPE_TAX is on, and Stripe’s tax settings can’t be read: ${error.message}`, TAX_ADVICE)];
  }
}

export async function checkMail(mail: MailConfig): Promise<Found> {
  if (mail.mode === "off") return [];
  if (mail.mode === "sandbox") return [ok("the sandbox takes it, to be read at /sandbox/mail")];
  const { url } = mail;
  const [connectionTimeout, socketTimeout] = [TIMEOUT_MILLISECONDS, TIMEOUT_MILLISECONDS];
  const transport = createTransport({ url, connectionTimeout, socketTimeout });
  const { host } = new URL(url);
  try {
    await transport.verify();
    return [ok(`${host} takes mail of ours`)];
  } catch (error) {
    const reason = new MailError(error).message.replace(/^.*?: /, "");
    const advice =
      "are address, user and password in SMTP_URL right (special characters like %40), and is the port open from here?";
    return [fail(`${host} does not take mail: ${reason}`, advice)];
  } finally {
    transport.close();
  }
}
