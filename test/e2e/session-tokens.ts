import { setTimeout as sleep } from "node:timers/promises";
import { type BrowserContext, expect, type Response } from "@playwright/test";
import { sessionTokenOf } from "../users.ts";

const PATIENCE_MILLISECONDS = 500;
/** Content types that scripts could read. Pictures and styles are omitted: none is made for one person. */
const READABLE = /json|html|javascript|x-script|text\/plain/;

/**
 * Reads every response a browser gets, to see that no body ever contains a session's token, which only the HttpOnly
 * cookie may hold.
 */
export function watchSessionTokens(context: BrowserContext): { expectNoneInBodies(): Promise<void> } {
  const tokens = new Set<string>();
  const bodies: Promise<{ url: string; text: string }>[] = [];

  context.on("response", (response) => {
    // The build's files are the same for everyone.
    if (!new URL(response.url()).pathname.startsWith("/assets/")) bodies.push(bodyOf(response));
  });

  return {
    async expectNoneInBodies() {
      const sent = await Promise.all(bodies.map((body) => Promise.race([body, neverEnded()])));
      for (const cookie of await context.cookies()) if (/session$/.test(cookie.name)) watch(cookie.value);
      const leaks = sent.filter(({ text }) => [...tokens].some((token) => text.includes(token)));
      expect(leaks.map(({ url }) => url)).toEqual([]);
    },
  };

  /** The value as the cookie has it opens the session as well as the token in it. */
  function watch(value: string): void {
    for (const secret of [value, sessionTokenOf(`session=${value}`)]) tokens.add(secret);
  }

  async function bodyOf(response: Response): Promise<{ url: string; text: string }> {
    const url = response.url();
    try {
      const setCookie = (await response.headerValues("set-cookie")).join("\n");
      for (const [, value = ""] of setCookie.matchAll(/session=([^;\n]+)/g)) if (value) watch(value);
      const type = (await response.headerValue("content-type")) ?? "";
      return { url, text: READABLE.test(type) ? await response.text() : "" };
    } catch {
      // A redirect has no body, and a page that was left before it had come has none any more.
      return { url, text: "" };
    }
  }
}

/** Prefetches that the browser has abandoned never end. */
async function neverEnded(): Promise<{ url: string; text: string }> {
  await sleep(PATIENCE_MILLISECONDS, undefined, { ref: false });
  return { url: "", text: "" };
}
