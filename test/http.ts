import type { TestServer } from "./server.ts";

/** A form of our own pages being sent, as a browser without JavaScript sends it. Redirects are not followed. */
export function postForm(
  server: TestServer,
  path: string,
  fields: Record<string, string>,
  cookie?: string,
): Promise<Response> {
  return fetch(server.origin + path, {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.origin, ...(cookie && { cookie }) },
    body: new URLSearchParams(fields),
  });
}

/** The cookies an answer sets, as a Cookie header. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** What a page itself says in its HTML, without the frame that all pages share. */
export async function mainOf(page: Response): Promise<string> {
  return /<main[^>]*>(.*)<\/main>/s.exec(await page.text())?.[1] ?? "";
}

/** A callable function being called from one of our own pages. */
export function call(
  server: TestServer,
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

export function checkoutOf(server: TestServer, price = "price_csv_banking_yearly") {
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

/** Turns a knob of the payments sandbox. */
export async function control(
  server: TestServer,
  knobs: { webhooks?: "hold" | "deliver"; api?: "up" | "down" },
) {
  const response = await fetch(`${server.origin}/sandbox/stripe/control`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(knobs),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Asks again until it is true, for what happens after an answer was given. @throws after ten seconds */
export async function eventually(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`never happened: ${what}`);
}
