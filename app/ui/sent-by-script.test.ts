import { expect, test } from "vitest";
import { LEADS_TO, SENT_BY_SCRIPT, tellScript } from "./sent-by-script.ts";

const asked = (headers: Record<string, string> = {}) =>
  new Request("https://site.example/login", { method: "POST", headers });
const byScript = () => asked({ [SENT_BY_SCRIPT]: "1" });

const redirect = (status: number) =>
  new Response(null, { status, headers: { Location: "https://pay.example/next", "Set-Cookie": "a=b" } });

test("a redirect is told to the script that sent the form, with the cookies that come along", () => {
  for (const status of [302, 303]) {
    const told = tellScript(byScript(), redirect(status));
    expect(told.status).toBe(204);
    expect(told.headers.get(LEADS_TO)).toBe("https://pay.example/next");
    expect(told.headers.has("Location")).toBe(false);
    expect(told.headers.getSetCookie()).toEqual(["a=b"]);
  }
});

test("the browser itself gets it as it is, and so does a script one that keeps the method", () => {
  expect(tellScript(asked(), redirect(303)).headers.get("Location")).toBe("https://pay.example/next");
  expect(tellScript(byScript(), redirect(307)).status).toBe(307);
  expect(tellScript(byScript(), new Response("a page", { status: 400 })).status).toBe(400);
});
