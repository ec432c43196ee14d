import { describe, expect, test } from "vitest";
import { eventually, postForm } from "../../test/http.ts";
import { setupServer, sharedServer } from "../../test/server.fixture.ts";
import { startServer } from "../../test/server.ts";
import { createSignedInUser, get } from "../../test/users.ts";
import { connectPayments } from "../billing/stripe.server.ts";
import { PUBLIC_PAGES } from "./pages.ts";

const WIDGET = "https://widget.own.example/w.js";
const on = setupServer({ STRIPE_TAX: "on", WAITLIST_WIDGET_SCRIPT_URL: WIDGET });
const off = sharedServer();

test("CURRENCY=jpy sells in yen, which has no decimals, on pages and for programs", async () => {
  const server = await startServer({ CURRENCY: "jpy" });
  expect(await (await fetch(`${server.origin}/pricing`)).text()).toContain("No subscription plans");
  for (const path of ["/", "/pricing", "/faq", "/features", "/waitlist", "/register", "/llms.txt"]) {
    const page = await (await fetch(server.origin + path)).text();
    expect(page, path).not.toMatch(/buy now|buy a plan|buying|buy early|founding price|choose a plan/i);
  }
  const payments = connectPayments(
    { mode: "sandbox", secretKey: "sk_test_sandbox", webhookSecret: "unused" },
    `${server.origin}/sandbox/stripe`,
  );
  if (!payments.isOn) throw new Error(payments.reason);
  const price = { product: "prod_csv_only", currency: "jpy" };
  const [monthly] = await Promise.all([
    payments.stripe.prices.create({ ...price, unit_amount: 450, recurring: { interval: "month" } }),
    payments.stripe.prices.create({ ...price, unit_amount: 4500, recurring: { interval: "year" } }),
  ]);
  const pricing = await eventually(async () => {
    const page = (await (await fetch(`${server.origin}/pricing`)).text()).replaceAll("<!-- -->", "");
    return page.includes("¥4,500") && page.includes("¥450") && page;
  }, "the prices are shown");
  expect(pricing).toContain("Save 17%");
  expect(pricing).toContain("Buy early");
  expect(pricing).toContain("¥375");
  expect(pricing).toMatch(/"price":"4500","priceCurrency":"JPY"/);
  expect(await (await fetch(`${server.origin}/llms.txt`)).text()).toContain("¥450 a month");
  const { cookie } = await createSignedInUser(server.pool);
  const sent = await postForm(server, "/subscription", { price: monthly.id }, cookie);
  expect(await (await fetch(sent.headers.get("location") ?? "")).text()).toContain("¥450");
  await server.stop();
});

test("STRIPE_TAX=on has every page with a price, and the terms, say that tax is added; off, none does", async () => {
  const paths = [
    "/",
    "/pricing",
    "/terms",
    "/privacy",
    "/register?return_to=/subscription%3Fplan%3Dprod_csv_only",
  ];
  const read = async (origin: string, path: string) => {
    const page = (await (await fetch(origin + path)).text()).replaceAll("<!-- -->", "");
    return page.replaceAll(/<script nonce=.*?<\/script>/gs, "");
  };
  for (const path of paths) {
    const [taxed, plain] = [await read(on.origin, path), await read(off.origin, path)];
    expect([path, plain.match(/plus tax|sales tax|for the tax/i)]).toEqual([path, null]);
    expect(taxed, path).toMatch(/plus tax where it applies|sales tax or VAT|billing address for the tax/);
  }
  expect(await read(on.origin, "/pricing")).toContain(
    "$29.99 today, then yearly until you cancel, plus tax where it applies.",
  );
  expect(await read(on.origin, "/llms.txt")).toContain("a month), plus tax where it applies. Includes");
  const { cookie } = await createSignedInUser(on.pool);
  const choice = (await (await get(on, "/subscription", cookie)).text()).replaceAll("<!-- -->", "");
  expect(choice).toContain("on the same day until you cancel, plus tax where it applies.");
});

test("what the specification names is where it says: the waitlist in home's pricing, the plans' contents, the tier", async () => {
  const home = await (await fetch(on.origin)).text();
  const pricing = /<section[^>]*aria-labelledby="pricing".*?<\/section>/s.exec(home)?.[0];
  expect(pricing).toContain(`id="waitlist-widget"`);
  expect(home).toContain(`src="${WIDGET}"`);
  const { id, cookie } = await createSignedInUser(on.pool);
  const choice = await (await get(on, "/subscription", cookie)).text();
  for (const plan of ["CSV Only (CSV Processing)", "CSV + Banking (CSV + Banking API)"])
    expect(choice).toContain(plan);
  await on.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at) VALUES ('given', $1, 'premium', 'admin', now() + interval '1 year')`,
    [id],
  );
  const dashboard = await (await get(on, "/dashboard", cookie)).text();
  expect(dashboard).toMatch(/<dt[^>]*>Tier<\/dt><dd[^>]*>premium<\/dd>/);
});

test("without JavaScript the widget's place says whom to write to", async () => {
  const html = await (await fetch(`${on.origin}/waitlist`)).text();
  const [, fallback] = /<noscript>(.*?)<\/noscript>/s.exec(html) ?? [];
  expect(fallback).toContain("Another company runs this list, and it needs JavaScript.");
  expect(fallback).toContain('href="mailto:support@ownwords.example"');
});

describe("with addresses elsewhere", () => {
  const COMMUNITY_URL = "https://discord.gg/own";
  const server = setupServer({
    PRODUCT_NAME: "Penny & <Co>",
    HOSTED_APP_URL: "https://app.own.example",
    COMMUNITY_URL,
    CODE_HOST_URL: "https://git.own.example/own",
  });

  test("without SIGN_IN=redirect Login and Sign Up stay here", async () => {
    const page = await (await fetch(server.origin)).text();
    expect(page).toContain('<a href="/login"');
    expect(page).not.toContain("app.own.example");
  });

  test("the social row has the chat, the microblog and the code host; unset, they are placeholders that lead nowhere", async () => {
    for (const { path } of PUBLIC_PAGES) {
      const page = await (await fetch(server.origin + path)).text();
      const footer = page.slice(page.indexOf("<footer"));
      const links = [...footer.matchAll(/<a href="(https?:[^"]+)"[^>]*>([^<]+)/g)].map(([, url, text]) => [
        text,
        url,
      ]);
      expect(links).toEqual([
        ["Community chat", COMMUNITY_URL],
        ["Discord", COMMUNITY_URL],
        ["Bluesky", "https://bluesky.example/"],
        ["git.own.example", "https://git.own.example/own"],
      ]);
    }
    const hosts = new Set<string>();
    for (const path of [...PUBLIC_PAGES.map(({ path }) => path), "/contact/sent"]) {
      const page = await (await fetch(server.origin + path)).text();
      for (const [, url = ""] of page.matchAll(/href="((?:https?:|mailto:)[^"]+)"/g)) hosts.add(url);
    }
    const fronts = [...hosts].filter(
      (url) => /^https:\/\/[^/]+\/$/.test(url) && !url.startsWith(server.origin),
    );
    expect(fronts.toSorted()).toEqual(["https://bluesky.example/", "https://store.ownwords.example/"]);
    expect(hosts).toContain("mailto:support@ownwords.example");
  });

  test.each(["/privacy", "/terms"])(
    "%s names the product of this site and the day of its last change",
    async (path) => {
      const html = await (await fetch(server.origin + path)).text();
      expect(html).toContain("the people who run Penny &amp; &lt;Co&gt;");
      expect(html).not.toContain("<Co>");
      expect(html).toMatch(
        /Last updated <time dateTime="20\d\d-\d\d-\d\dT00:00:00\.000Z">\w+ \d+, 20\d\d<\/time>/,
      );
    },
  );
});

test("the operator's own facts are on the pages that promise them", async () => {
  const server = await startServer({
    COMPANY_NAME: "Own & Sons, Inc.",
    COMPANY_ADDRESS: "1 Main Street, Springfield",
    REPLY_DAYS: "1",
    BANK_COUNTRIES: "us,CA",
    CURRENCY: "eur",
    MICROBLOG_URL: "https://own.example/@us",
  });
  const read = async (path: string) =>
    (await (await fetch(server.origin + path)).text()).replaceAll("<!-- -->", "").replaceAll("&amp;", "&");
  const home = await read("/");
  expect(home.slice(home.indexOf("<footer"))).toContain("Own & Sons, Inc. · 1 Main Street, Springfield");
  expect(home.slice(home.indexOf("<footer"))).toContain(">own.example</a>");
  expect(home).toContain("is made by Own & Sons, Inc., 1 Main Street, Springfield.");
  for (const path of ["/terms", "/privacy"]) {
    const text = await read(path);
    expect(text.slice(0, text.indexOf("<footer"))).toContain("Own & Sons, Inc.");
    expect(text.slice(0, text.indexOf("<footer"))).toContain("1 Main Street, Springfield");
  }
  for (const path of ["/contact", "/faq"])
    expect(await read(path)).toContain("We usually reply within 1 business day.");
  expect(await read("/faq")).toContain("Prices are in euros");
  expect(await read("/faq")).toContain("banks in the United States and Canada.");
  await server.stop();
});
