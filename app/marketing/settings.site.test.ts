import { expect, test } from "vitest";
import { eventually, postForm } from "../../test/http.ts";
import { startServer } from "../../test/server.ts";
import { createSignedInUser, get } from "../../test/users.ts";
import { connectPayments } from "../billing/stripe.server.ts";
import { PUBLIC_PAGES } from "./pages.ts";

test("with SIGN_IN=redirect, Login and Sign Up lead to the hosted app, and take along what was chosen", async () => {
  const server = await startServer({
    SIGN_IN: "redirect",
    HOSTED_APP_URL: "https://app.own.example/",
    HEADLINE: "Every penny has a name.",
  });
  for (const { path } of PUBLIC_PAGES) {
    const page = await (await fetch(server.origin + path)).text();
    const header = page.slice(page.indexOf("<header"), page.indexOf("</header>"));
    expect(header).toMatch(/<a href="https:\/\/app\.own\.example\/login"[^>]*><span>Login</);
    expect(header).toMatch(/<a href="https:\/\/app\.own\.example\/register"[^>]*><span>Sign Up</);
    expect(page).not.toContain('href="/register');
  }
  const signedIn = await (await get(server, "/", "session=x")).text();
  expect(signedIn).toContain('<a href="/dashboard"');
  expect(signedIn).not.toContain("https://app.own.example/login");
  // One of the other settings that show on a page, since this server has its own.
  const home = await (await fetch(server.origin)).text();
  expect(home.replaceAll("<!-- -->", "")).toContain(
    '<h1>Every penny <span class="label headline-label">has a name</span></h1>',
  );
  const pricing = await (await fetch(`${server.origin}/pricing?promo=PREMIUM3`)).text();
  expect(pricing).toContain(
    'href="https://app.own.example/register?plan=prod_csv_only&amp;billing=annual&amp;promo=PREMIUM3"',
  );
  await server.stop();
});

test("otherwise they stay here", async () => {
  const server = await startServer({ HOSTED_APP_URL: "https://app.own.example" });
  const page = await (await fetch(server.origin)).text();
  expect(page).toContain('<a href="/login"');
  expect(page).not.toContain("app.own.example");
  await server.stop();
});

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
  const [on, off] = await Promise.all([startServer({ STRIPE_TAX: "on" }), startServer()]);
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
  await Promise.all([on.stop(), off.stop()]);
});

test("the social row has the chat, the microblog and the code host; unset, they are placeholders that lead nowhere", async () => {
  const COMMUNITY_URL = "https://discord.gg/own";
  const server = await startServer({ COMMUNITY_URL, CODE_HOST_URL: "https://git.own.example/own" });
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
  await server.stop();
});

test("in production what is not set is left out, everywhere", async () => {
  const server = await startServer({ NODE_ENV: "production", PUBLIC_ORIGIN: "https://own.test" });
  const loopback = `http://127.0.0.1:${server.port}`;
  const paths = [
    "/contact/sent",
    "/llms.txt",
    "/.well-known/security.txt",
    "/login",
    "/forgot-password/sent",
  ];
  for (const path of [...PUBLIC_PAGES.map(({ path }) => path), ...paths]) {
    const response = await fetch(loopback + path);
    const page = await response.text();
    // What React starts with may be null; it shows what the page does.
    const shown = page.replaceAll(/<script nonce=.*?<\/script>/gs, "");
    const found = [
      ...(page.match(/\S*\.example\S*|mailto:\S*/g) ?? []),
      ...(shown.match(/\bnull\b|\bundefined\b|href=""/g) ?? []),
    ];
    expect([path, found.filter((each) => !/^"?name@/.test(each))]).toEqual([path, []]);
  }
  const read = async (path: string) =>
    (await (await fetch(loopback + path)).text()).replaceAll("<!-- -->", "");
  expect(await read("/.well-known/security.txt")).toContain("Contact: https://own.test/contact\n");
  expect(await read("/pricing")).toContain("Not on sale yet");
  expect(await read("/terms")).toContain("The desktop app isn’t on sale yet.");
  await server.stop();
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

test("what the specification names is where it says: the waitlist in home's pricing, the plans' contents, the tier", async () => {
  const widget = "https://widget.own.example/w.js";
  const server = await startServer({ WAITLIST_WIDGET_SCRIPT_URL: widget });
  const home = await (await fetch(server.origin)).text();
  const pricing = /<section[^>]*aria-labelledby="pricing".*?<\/section>/s.exec(home)?.[0];
  expect(pricing).toContain(`id="waitlist-widget"`);
  expect(home).toContain(`src="${widget}"`);
  const { id, cookie } = await createSignedInUser(server.pool);
  const choice = await (await get(server, "/subscription", cookie)).text();
  for (const plan of ["CSV Only (CSV Processing)", "CSV + Banking (CSV + Banking API)"])
    expect(choice).toContain(plan);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at) VALUES ('given', $1, 'premium', 'admin', now() + interval '1 year')`,
    [id],
  );
  const dashboard = await (await get(server, "/dashboard", cookie)).text();
  expect(dashboard).toMatch(/<dt[^>]*>Tier<\/dt><dd[^>]*>premium<\/dd>/);
  await server.stop();
});
