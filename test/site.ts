import type { Site } from "../app/ui/site.ts";

/** A site as the config would make it, for what needs no server. */
export const SITE: Site = {
  origin: "https://own.example",
  product: "Own",
  tagline: "Your money.",
  supportEmail: "help@own.example",
  communityUrl: "https://chat.example",
  microblogUrl: "https://blog.example",
  codeHostUrl: "https://code.example",
  storeUrl: "https://store.example",
  hostedAppUrl: null,
};
