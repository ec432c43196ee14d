import { expect, test } from "vitest";
import { limitBody } from "./body-limit.server.ts";

const FORM = "application/x-www-form-urlencoded";
const KILOBYTE = 1024;

async function statusOf(body: string, type: string, path = "/login"): Promise<number | null> {
  const headers = { "content-type": type };
  const limited = await limitBody(
    new Request(`http://own.example${path}`, { method: "POST", headers, body }),
  );
  if (!limited.ok) return limited.status;
  expect(await limited.request.text(), "what is let through is whole").toBe(body);
  return null;
}

test("each entrance takes so much and not a byte more", async () => {
  for (const [kilobytes, type, path] of [
    [64, FORM, "/login"],
    [64, "text/plain", "/login"],
    [64, "multipart/form-data; boundary=x", "/waitlist/leave"],
    [32, "application/json", "/functions/us-central1/createCheckoutSession"],
    [32, "application/csp-report+json; charset=utf-8", "/sandbox/stripe/control"],
    [512, "application/json", "/webhooks/stripe"],
    [512, FORM, "/webhooks/stripe"],
  ] as const) {
    expect(await statusOf("x".repeat(kilobytes * KILOBYTE), type, path)).toBeNull();
    expect(await statusOf("x".repeat(kilobytes * KILOBYTE + 1), type, path)).toBe(413);
  }
});

test("a form has 100 fields at most", async () => {
  expect(await statusOf("a=1&".repeat(99), FORM)).toBeNull();
  expect(await statusOf("a=1&".repeat(100), FORM)).toBe(400);
  expect(await statusOf("&".repeat(100), `${FORM};charset=utf-8`)).toBe(400);
});

test("JSON is 32 levels deep at most; brackets in its texts do not count", async () => {
  const deep = (levels: number) => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;
  expect(await statusOf(deep(32), "application/json")).toBeNull();
  expect(await statusOf(deep(34), "application/json")).toBe(400);
  expect(
    await statusOf(`["${"[".repeat(99)}\\"${"{".repeat(99)}\\\\",[[1]]]`, "application/json"),
  ).toBeNull();
  expect(await statusOf(`["\\\\",${"[".repeat(32)}`, "application/json")).toBe(400);
});
