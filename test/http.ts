import { randomBytes } from "node:crypto";
import type { Knobs } from "@ownwords/sandbox/testing";
import { GIVE_UP_WAITING_AFTER } from "./pace.ts";
import type { TestServer } from "./server.ts";

/**
 * Headers of a new client, unknown to the limits, for requests through a proxy that the server trusts. The addresses are
 * reserved for documentation (RFC 3849).
 */
export function asClient(address = `2001:db8:${randomBytes(4).toString("hex").replace(/.{4}/, "$&:")}::1`) {
  return { "x-forwarded-for": address };
}

/**
 * Submits a form of our pages, as a browser without JavaScript does, by a new client each time. Redirects are not
 * followed.
 */
export function postForm(
  server: Pick<TestServer, "origin">,
  path: string,
  fields: Record<string, string> | [name: string, value: string][],
  cookie?: string,
  client: Record<string, string> = asClient(),
): Promise<Response> {
  return fetch(server.origin + path, {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.origin, ...client, ...(cookie && { cookie }) },
    body: new URLSearchParams(fields),
  });
}

/** The cookies that an answer sets, as a Cookie header. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** The HTML of a page's main part, without React's markers between texts. */
export async function mainOf(page: Response): Promise<string> {
  const main = /<main[^>]*>(.*)<\/main>/s.exec(await page.text())?.[1] ?? "";
  return main.replaceAll("<!-- -->", "");
}

/** Calls a callable function, as from one of our own pages. */
export function call(
  server: Pick<TestServer, "origin">,
  data: unknown,
  cookie?: string,
  name = "createCheckoutSession",
): Promise<Response> {
  return fetch(`${server.origin}/functions/us-central1/${name}`, {
    method: "POST",
    headers: { origin: server.origin, "content-type": "application/json", ...(cookie && { cookie }) },
    body: JSON.stringify({ data }),
  });
}

export function checkoutOf(server: Pick<TestServer, "origin">, price = "price_csv_banking_yearly") {
  return { price, success_url: `${server.origin}/dashboard`, cancel_url: `${server.origin}/subscription` };
}

/** Presses Pay on the sandbox's page. */
export function pay(checkoutUrl: string): Promise<Response> {
  return fetch(`${checkoutUrl}/pay`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: new URL(checkoutUrl).origin },
  });
}

/** Turns knobs of the payments sandbox; `{reset: true}` puts them back. */
export async function control(server: Pick<TestServer, "origin">, knobs: Partial<Knobs> & { reset?: true }) {
  const response = await fetch(`${server.origin}/sandbox/stripe/control`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(knobs),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** The number of attempts without a long pause: most waits end within them. */
const QUICK_ATTEMPTS = 20;

/**
 * Retries until there is an answer, for what happens after a response: the only way to wait in tests.
 *
 * @returns what was found
 * @throws after a minute, or longer on a slow machine
 */
export async function eventually<Found>(
  find: () => Promise<Found | false | null | undefined>,
  what: string,
): Promise<Found> {
  const deadline = performance.now() + GIVE_UP_WAITING_AFTER;
  for (let attempt = 0; performance.now() < deadline; attempt++) {
    const found = await find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, attempt < QUICK_ATTEMPTS ? 10 : 100));
  }
  throw new Error(`never happened: ${what}`);
}

/** Waits until no job is left, and no event of the payments sandbox is undelivered. */
export const allJobsDone = (server: TestServer) =>
  eventually(async () => (await countUndone(server)) === 0, "all jobs being done");

/** The jobs that are left, and the undelivered events of the payments sandbox. */
export async function countUndone({ pool }: Pick<TestServer, "pool">): Promise<number> {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*) FROM sandbox_stripe.deliveries)::int
       + (SELECT count(*) FROM outbox WHERE done_at IS NULL)::int AS left`,
  );
  return rows[0].left;
}
