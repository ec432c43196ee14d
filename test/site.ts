import type { Site } from "../app/ui/site.ts";

/** A site as the config would make it, for what needs no server. */
export const SITE: Site = {
  origin: "https://own.example",
  product: "Own",
  headline: "Your money.",
  tagline: "The first of its kind.",
  company: null,
  companyAddress: null,
  supportEmail: "help@own.example",
  replyDays: 2,
  withdrawal: true,
  currency: "US dollars",
  plusTax: "",
  bankCountries: "the United States",
  mailboxUrl: null,
  communityUrl: "https://chat.example",
  microblogUrl: "https://blog.example",
  codeHostUrl: "https://code.example",
  storeUrl: "https://store.example",
  hostedAppUrl: null,
};
