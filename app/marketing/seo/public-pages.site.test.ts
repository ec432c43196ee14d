import { describe, expect, test } from "vitest";
import { type Head, readHead, textOf } from "../../../test/head.ts";
import { eventually } from "../../../test/http.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { createSignedInUser } from "../../../test/users.ts";
import { formatMoney } from "../../billing/plans.ts";
import { connectPayments } from "../../billing/stripe.server.ts";
import { PUBLIC_PAGES } from "../pages.ts";
import type { Thing } from "./json-ld.ts";

const PATHS = PUBLIC_PAGES.map(({ path }) => path);
const server = setupServer();

async function get(path: string): Promise<string> {
  return (await fetch(server.origin + path)).text();
}

async function headOf(path: string): Promise<Head> {
  return readHead(await get(path));
}

function ofType<Wanted = Thing>({ things }: Head, type: string): Wanted | undefined {
  return things.find((thing) => thing["@type"] === type) as Wanted | undefined;
}

describe("what a page says of itself", () => {
  test.each(PATHS)(
    "%s: title, description and Open Graph are whole, its address is its own",
    async (path) => {
      const { title, meta, canonical } = await headOf(`${path}?utm_source=elsewhere`);
      expect(title).toContain("Ownwords");
      expect(meta.description?.length).toBeGreaterThanOrEqual(50);
      expect(meta.description?.length).toBeLessThanOrEqual(160);
      expect(canonical).toBe(server.origin + path);
      expect(meta).toMatchObject({
        "og:type": "website",
        "og:site_name": "Ownwords",
        "og:locale": "en_US",
        "og:url": canonical,
        "og:description": meta.description,
        "twitter:card": "summary_large_image",
      });
      expect(title).toContain(meta["og:title"]);
      expect(meta["og:image:alt"]).toMatch(/label/);
      expect(meta).not.toHaveProperty("robots");
    },
  );

  test("no two pages have the same title, description or picture", async () => {
    const heads = await Promise.all(PATHS.map(headOf));
    for (const said of [
      heads.map(({ title }) => title),
      heads.map(({ meta }) => meta.description),
      heads.map(({ meta }) => meta["og:image"]),
      heads.map(({ meta }) => meta["og:image:alt"]),
    ]) {
      expect(new Set(said).size).toBe(PATHS.length);
    }
  });

  test.each(["/nowhere", "/og/nowhere.png", "/login", "/register"])(
    "%s asks to be left out and claims no address",
    async (path) => {
      const { meta, canonical, things } = await headOf(path);
      expect(meta.robots).toBe("noindex");
      expect(canonical).toBeUndefined();
      expect(things).toEqual([]);
    },
  );
});

describe("the picture of a shared page", () => {
  test.each(PATHS)("%s: a PNG as large as said, and small to load", async (path) => {
    const { meta } = await headOf(path);
    const response = await fetch(meta["og:image"] ?? "");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
    const png = Buffer.from(await response.arrayBuffer());
    expect(sizeOf(png)).toEqual([1200, 630]);
    expect([Number(meta["og:image:width"]), Number(meta["og:image:height"])]).toEqual(sizeOf(png));
    expect(png.length).toBeLessThan(60 * 1024);
  });
});

describe("icons", () => {
  test.each([
    ["/apple-touch-icon.png", 180],
    ["/icon-192.png", 192],
    ["/icon-512.png", 512],
    ["/icon-maskable-512.png", 512],
  ])("%s is %i pixels a side", async (path, side) => {
    const response = await fetch(server.origin + path);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(sizeOf(Buffer.from(await response.arrayBuffer()))).toEqual([side, side]);
  });

  test("the page links to them, and each is what its link says", async () => {
    const html = await get("/");
    const links = [...html.matchAll(/<link rel="(?:icon|apple-touch-icon|manifest)" href="([^"]+)"/g)];
    const types = await Promise.all(
      links.map(async ([, href]) => [href, (await fetch(server.origin + href)).headers.get("content-type")]),
    );
    expect(types).toEqual([
      ["/favicon.ico", "image/x-icon"],
      ["/icon.svg", "image/svg+xml"],
      ["/apple-touch-icon.png", "image/png"],
      ["/manifest.webmanifest", "application/manifest+json; charset=utf-8"],
    ]);
  });
});

/** A PNG's first chunk holds its width and height (PNG specification §11.2.1). */
function sizeOf(png: Buffer): [number, number] {
  expect(png.toString("latin1", 1, 4)).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe("JSON-LD", () => {
  test("home says who, where and what", async () => {
    const head = await headOf("/");
    const organization = ofType(head, "Organization");
    expect(organization).toMatchObject({ name: "Ownwords", url: `${server.origin}/` });
    expect((await fetch(String(organization?.logo))).status).toBe(200);
    expect(ofType(head, "WebSite")).toMatchObject({
      name: "Ownwords",
      url: `${server.origin}/`,
      publisher: { "@id": organization?.["@id"] },
    });
    expect(ofType(head, "BreadcrumbList")).toBeUndefined();
  });

  test.each(PATHS.filter((path) => path !== "/"))("%s says where it stands", async (path) => {
    const list = ofType<{ itemListElement: Thing[] }>(await headOf(path), "BreadcrumbList");
    expect(list?.itemListElement).toMatchObject([
      { position: 1, item: `${server.origin}/` },
      { position: 2, name: expect.stringMatching(/\w/), item: server.origin + path },
    ]);
  });

  test("the questions are the page's, word for word", async () => {
    const html = await get("/faq");
    const page = ofType<{ mainEntity: { name: string; acceptedAnswer: { text: string } }[] }>(
      readHead(html),
      "FAQPage",
    );
    expect(page?.mainEntity.length).toBe([...html.matchAll(/<details/g)].length);
    for (const { name, acceptedAnswer } of page?.mainEntity ?? []) {
      expect(inOneLine(textOf(html))).toContain(inOneLine(name));
      for (const paragraph of acceptedAnswer.text.split("\n\n")) {
        expect(inOneLine(textOf(html))).toContain(inOneLine(paragraph));
      }
    }
  });
});

const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll(/ (?=[.,;:?!])/g, "");

interface OfferInPage {
  name: string;
  price: string;
  priceCurrency: string;
  priceSpecification: { price: string; billingDuration: string };
}

/** What is on sale, as the database itself would write it. */
async function offersInDatabase() {
  const { rows } = await server.pool.query<{ name: string; amount: number; offer: unknown }>(
    `SELECT name, unit_amount AS amount, json_build_object(
       'name', name, 'price', (unit_amount / 100.0)::numeric(12, 2)::text, 'priceCurrency', upper(currency),
       'billingDuration', CASE "interval" WHEN 'month' THEN 'P1M' ELSE 'P1Y' END) AS offer
     FROM products JOIN prices ON product_id = products.id
     WHERE products.active AND prices.active ORDER BY position, products.id, unit_amount`,
  );
  return rows;
}

function offersOf(head: Head) {
  const application = ofType<{ offers: OfferInPage[] }>(head, "SoftwareApplication");
  return application?.offers.map(({ name, price, priceCurrency, priceSpecification }) => {
    expect(priceSpecification.price).toBe(price);
    return { name, price, priceCurrency, billingDuration: priceSpecification.billingDuration };
  });
}

async function expectAllToAgree(): Promise<void> {
  const onSale = await offersInDatabase();
  const wanted = onSale.map(({ offer }) => offer);
  for (const path of ["/pricing", "/"]) {
    const isThere = async () => JSON.stringify(offersOf(await headOf(path))) === JSON.stringify(wanted);
    await eventually(isThere, `${path} offers what the database sells`);
  }
  const [pricing, llms] = await Promise.all([get("/pricing"), get("/llms.txt")]);
  for (const { name, amount } of onSale) {
    for (const text of [textOf(pricing), llms]) {
      expect(text).toContain(name);
      expect(text).toContain(formatMoney(amount, "usd"));
    }
  }
}

test("a page says what the payments store says, a moment after it changed there", async () => {
  const payments = connectPayments(
    { mode: "sandbox", secretKey: "sk_test_sandbox", webhookSecret: "unused" },
    `${server.origin}/sandbox/stripe`,
  );
  if (!payments.isOn) throw new Error(payments.reason);
  const pricing = () => get("/pricing");
  expect(await pricing()).toContain("$49.99");
  await payments.stripe.prices.create({
    product: "prod_csv_banking",
    currency: "usd",
    unit_amount: 4988,
    recurring: { interval: "year" },
  });
  await payments.stripe.prices.update("price_csv_banking_yearly", { active: false });
  await eventually(
    async () => (await pricing()).includes("$49.88") && !(await pricing()).includes("$49.99"),
    "the new price is shown instead of the old one",
  );
});

test("page, JSON-LD, llms.txt and database name the same plans and prices, also after a change", async () => {
  expect((await offersInDatabase()).length).toBe(4);
  await expectAllToAgree();
  expect(await get("/pricing")).toContain("Save 17%");

  // As a later mirroring of the catalogue would leave it, so that the one of the start cannot undo it.
  const later = "sync_ticket = 1000000";
  await server.pool.query(
    `UPDATE prices SET ${later}, unit_amount = 1607 WHERE id = 'price_csv_only_yearly'`,
  );
  await server.pool.query(
    `UPDATE prices SET ${later}, active = false WHERE id = 'price_csv_banking_monthly'`,
  );
  await server.pool.query(`UPDATE products SET ${later}, name = $1 WHERE id = 'prod_csv_only'`, [
    `Files </script><b id="x"> & "more"`,
  ]);
  expect((await offersInDatabase()).length).toBe(3);
  await expectAllToAgree();
  const { cookie } = await createSignedInUser(server.pool);
  const subscription = await fetch(`${server.origin}/subscription`, { headers: { cookie } });
  for (const page of [await get("/pricing"), await subscription.text()]) {
    expect(page).not.toContain('<b id="x">');
    expect(page).toContain("CSV + Banking has no monthly price. Choose Annual to see what it costs.");
    expect(page).toContain("Save 55%");
  }
});
