import type { Provider } from "../app/auth/providers/providers.ts";
import { asClient } from "./http.ts";
import type { TestServer } from "./server.ts";

/** A browser without JavaScript, and a client of its own: it keeps cookies and follows no redirect by itself. */
export interface Browser {
  /** By name, as received. */
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

export function openBrowser(server: TestServer, cookie?: string): Browser {
  const cookies = new Map<string, string>();
  const client = asClient();
  if (cookie) keep(cookie);

  function keep(pair: string): void {
    const at = pair.indexOf("=");
    cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }

  async function send(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...client, ...(cookie && { cookie }), ...init.headers };
    const answer = await fetch(new URL(path, server.origin), { ...init, redirect: "manual", headers });
    for (const set of answer.headers.getSetCookie()) keep(set.split(";", 1).join());
    return answer;
  }

  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { origin: server.origin, ...headers },
        body: new URLSearchParams(fields),
      }),
  };
}

/** A person at a sandbox provider. */
export interface Somebody {
  email: string;
  /** Whether Google has verified the address. */
  isVerified?: boolean;
  /** Whether the person shares the address, at Facebook. */
  isShared?: boolean;
}

/** Presses a page's sign-in button. @returns the URL of its redirect */
export async function beginAt(
  browser: Browser,
  provider: Provider,
  fields: { intent?: string; return_to?: string } = {},
): Promise<string> {
  const answer = await browser.post(`/auth/start/${provider}`, fields);
  return answer.headers.get("location") ?? "";
}

/** Chooses a person on the provider's page. @returns the URL to which the browser is sent back */
export async function chooseAt(browser: Browser, url: string, somebody: Somebody): Promise<string> {
  const { email, isVerified = true, isShared = true } = somebody;
  const page = await (await browser.get(url)).text();
  const [, action = ""] = /action="([^"]+\/choose)"/.exec(page) ?? [];
  const [, request = ""] = /name="request" value="([^"]+)"/.exec(page) ?? [];
  const boxes = { ...(isVerified && { verified: "on" }), ...(isShared && { share: "on" }) };
  const answer = await browser.post(action, { request, choice: "other", email, ...boxes });
  return answer.headers.get("location") ?? "";
}

/** Signs in at a provider, from the button to the callback. @returns the callback's answer */
export async function signInAt(
  browser: Browser,
  provider: Provider,
  somebody: Somebody,
  fields: { intent?: string; return_to?: string } = {},
): Promise<Response> {
  return browser.get(await chooseAt(browser, await beginAt(browser, provider, fields), somebody));
}

/** The fragment of a callback's redirect; without one of our own, a browser would keep Facebook's "#_=_". */
export const endOf = (provider: Provider): string => (provider === "facebook" ? "#top" : "");

/** Sets knobs of the sign-in sandbox; `{reset: true}` resets them. */
export async function turnKnobs(server: TestServer, knobs: object): Promise<void> {
  const answer = await fetch(`${server.origin}/sandbox/identity/control`, {
    method: "POST",
    body: JSON.stringify(knobs),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
