import { expect, test } from "vitest";
import { eventually, mainOf, postForm } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";

const server = setupServer();

const PROMISE = "Get a full refund any time before your plan’s first feature launches";
/** What no page may say of CSV Processing once it is open, or of anything once all is. */
const CLAIMS_CLOSED =
  /CSV Processing[^.(]*still being built|All of it is still|phase 1: everything here is still|features are still being built|aren’t live yet|Both are still|isn’t ready|can’t upload a file/;
const CLAIMS_ANY_CLOSED = /still being built|Coming (Soon|during the beta)|no date (yet|for (it|either))/i;

const PATHS = [
  "/",
  "/features",
  "/why-different",
  "/pricing",
  "/faq",
  "/terms",
  "/privacy",
  "/contact",
  "/changelog",
];

async function textOf(path: string, cookie?: string): Promise<string> {
  const page = await fetch(server.origin + path, cookie ? { headers: { cookie } } : {});
  const text = path.endsWith(".txt") ? await page.text() : await mainOf(page);
  return text.replace(/<!-- -->/g, "").replaceAll("&#x27;", "'");
}

test("a feature opens: every page says so, and what is left of the refund promise", async () => {
  const { cookie } = await createSignedInUser(server.pool);
  expect(await textOf("/pricing")).toMatch(new RegExp(`Coming during the beta.*${PROMISE}`, "s"));
  expect(await textOf("/dashboard", cookie)).toContain("Coming Soon");

  await server.pool.query("INSERT INTO features VALUES ('csv_processing', now())");
  await eventually(async () => (await textOf("/pricing")).includes("Open now"), "the pricing page shows it");

  const pricing = await textOf("/pricing");
  expect(pricing).toContain("Coming during the beta");
  expect(pricing).toContain(
    "<li>Your price never goes up while you stay subscribed.</li><li>Get a full refund within 14 days of any payment.</li>",
  );
  expect(pricing).not.toContain(PROMISE);
  for (const path of [...PATHS, "/llms.txt"])
    expect([path, CLAIMS_CLOSED.exec(await textOf(path))]).toEqual([path, null]);
  expect(await textOf("/terms"), "the rule itself stays").toContain(PROMISE);
  for (const path of ["/dashboard", "/subscription", "/test-promo"])
    expect([path, CLAIMS_CLOSED.exec(await textOf(path, cookie))]).toEqual([path, null]);
  expect(await textOf("/dashboard", cookie)).toMatch(/Open now.*CSV Processing.*Coming Soon.*Banking API/s);

  const sent = await postForm(server, "/subscription", { price: "price_csv_only_yearly" }, cookie);
  const payment = await fetch(sent.headers.get("location") ?? "");
  expect(await payment.text()).toContain(
    "Your price never goes up while you stay subscribed. Get a full refund within 14 days of any payment.",
  );

  await server.pool.query("INSERT INTO features VALUES ('banking_api', now())");
  await eventually(async () => !(await textOf("/pricing")).includes("Coming"), "the second is shown, too");
  for (const path of [...PATHS, "/llms.txt"])
    expect([path, CLAIMS_ANY_CLOSED.exec(await textOf(path))]).toEqual([path, null]);
  for (const path of ["/dashboard", "/subscription"])
    expect([path, CLAIMS_ANY_CLOSED.exec(await textOf(path, cookie))]).toEqual([path, null]);

  await server.pool.query("DELETE FROM features");
  await eventually(async () => (await textOf("/pricing")).includes(PROMISE), "and closes again");
});
