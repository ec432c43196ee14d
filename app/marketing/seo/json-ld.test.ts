import { expect, test } from "vitest";
import { SITE as ANY_SITE } from "../../../test/site.ts";
import type { Plan } from "../../billing/plans.ts";
import type { Site } from "../../ui/site.ts";
import { faqPage, organization, softwareApplication } from "./json-ld.ts";

const SITE: Site = {
  ...ANY_SITE,
  communityUrl: "https://discord.com/",
  microblogUrl: "https://bsky.app/profile/own.example",
  codeHostUrl: "https://github.com/",
};

const PLAN: Plan = {
  id: "prod_1",
  name: "CSV Only",
  description: null,
  tier: "basic",
  prices: [
    { id: "price_month", unitAmount: 299, currency: "usd", interval: "month" },
    { id: "price_year", unitAmount: 3000, currency: "eur", interval: "year" },
  ],
};

test("every price is an offer that says how long it pays for", () => {
  expect(softwareApplication(SITE, [PLAN]).offers).toMatchObject([
    {
      name: "CSV Only",
      price: "2.99",
      priceCurrency: "USD",
      priceSpecification: { price: "2.99", priceCurrency: "USD", billingDuration: "P1M" },
    },
    {
      price: "30.00",
      priceCurrency: "EUR",
      priceSpecification: { price: "30.00", priceCurrency: "EUR", billingDuration: "P1Y" },
    },
  ]);
});

test("where Stripe adds tax the price is said to be without it, and else nothing is said", () => {
  const taxed = softwareApplication({ ...SITE, plusTax: ", plus tax where it applies" }, [PLAN]);
  expect(taxed.offers?.[0]?.priceSpecification).toMatchObject({
    price: "2.99",
    valueAddedTaxIncluded: false,
  });
  expect(JSON.stringify(softwareApplication(SITE, [PLAN]))).not.toContain("valueAddedTax");
});

test("with nothing on sale there is no offer, not an empty one", () => {
  expect(softwareApplication(SITE, [])).not.toHaveProperty("offers");
});

test("a network's front page, the settings' default, is not called ours", () => {
  expect(organization(SITE)).toHaveProperty("sameAs", ["https://bsky.app/profile/own.example"]);
  expect(organization({ ...SITE, microblogUrl: "https://bsky.app/" })).not.toHaveProperty("sameAs");
});

test("an answer keeps its paragraphs", () => {
  expect(faqPage([{ question: "Why?", answer: ["Because.", "That is all."] }]).mainEntity).toEqual([
    {
      "@type": "Question",
      name: "Why?",
      acceptedAnswer: { "@type": "Answer", text: "Because.\n\nThat is all." },
    },
  ]);
});
