/** Every table, for the migrations (db/drizzle.config.ts). */
export * from "./audit/schema.ts";
export * from "./auth/schema.ts";
export * from "./billing/schema.ts";
export * from "./categories/schema.ts";
export * from "./contact/schema.ts";
export * from "./db/schema.ts";
export * from "./entitlements/schema.ts";
export * from "./figures/schema.ts";
export * from "./hosted-app/schema.ts";
export * from "./http/schema.ts";
export * from "./limits/schema.ts";
export * from "./mail/schema.ts";
export * from "./news/schema.ts";
export * from "./outbox/schema.ts";
export * from "./promo/schema.ts";
export * from "./waitlist/schema.ts";
