import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { bytea, createdAt, instant, updatedAt } from "../db/columns.ts";
import { mailboxSql } from "./mailbox.ts";
import type { MailLinkPurpose } from "./messages.ts";

/** Several times what an encoded photo takes. */
const PHOTO_MAX_BYTES = 64 * 1024;

export const user = pgTable(
  "user",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull().unique(),
    emailVerified: boolean("email_verified").notNull().default(false),
    /** The link to a photo elsewhere (spec §3, photoURL). */
    image: text("image"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    /** When the owner was warned that an unconfirmed account ends. */
    endingToldAt: instant("ending_told_at"),
    /** IANA name, last sent by the user's browser, for formatting dates; `null`: not known. */
    timeZone: text("time_zone"),
    /** `null`: the user does not want product news by mail. */
    productNewsSince: instant("product_news_since"),
  },
  (table) => [
    index("user_unconfirmed_index").on(table.createdAt).where(sql`NOT ${table.emailVerified}`),
    index("user_created_at_index").on(table.createdAt, table.id),
    index("user_email_prefix_index").on(sql`lower(${table.email}) text_pattern_ops`),
    index("user_name_prefix_index").on(sql`lower(${table.name}) text_pattern_ops`),
    index("user_product_news_index").on(table.id).where(sql`${table.productNewsSince} IS NOT NULL`),
    index("user_mailbox_index").on(sql`(${mailboxSql(sql`${table.email}`)})`),
  ],
);

/** Whose row it is, which goes with them. */
export const ownerId = () =>
  text("user_id")
    .notNull()
    .references(() => user.id, { onDelete: "cascade" });

/** Uploaded photos, encoded anew. */
export const photos = pgTable(
  "photos",
  {
    userId: ownerId().primaryKey(),
    /** New for each upload, and part of the photo's URL, so that browsers may cache it. */
    version: text("version").notNull(),
    jpeg: bytea("jpeg").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check(
      "photos_jpeg_check",
      sql`octet_length(${table.jpeg}) BETWEEN 1 AND ${sql.raw(String(PHOTO_MAX_BYTES))}`,
    ),
  ],
);

export const session = pgTable(
  "session",
  {
    id: text("id").primaryKey(),
    expiresAt: instant("expires_at").notNull(),
    /** SHA-256 of the token in the cookie, in base64url. */
    tokenHash: text("token_hash").notNull().unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    userAgent: text("user_agent"),
    userId: ownerId(),
    /** See `requireFreshSession`. */
    confirmedAt: instant("confirmed_at").notNull().defaultNow(),
    /** Until then it signs no user in. */
    needsSecondFactor: boolean("needs_second_factor").notNull().default(false),
    secondFactorAt: instant("second_factor_at"),
    /** Single-use, for the next passkey. */
    challenge: text("challenge"),
    challengeAt: instant("challenge_at"),
  },
  (table) => [
    index("session_user_id_index").on(table.userId),
    index("session_expires_at_index").on(table.expiresAt),
  ],
);

export const account = pgTable(
  "account",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: ownerId(),
    /** From `hashPassword`; null for providers. */
    password: text("password"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("account_user_id_index").on(table.userId),
    unique("account_provider_account_unique").on(table.providerId, table.accountId),
  ],
);

/** RFC 6238; at most one a user. */
export const authenticatorApps = pgTable("authenticator_apps", {
  userId: ownerId().primaryKey(),
  /** Encrypted with AUTH_SECRET. */
  secret: text("secret").notNull(),
  /** `null`: being set up, not a second factor yet. */
  confirmedAt: instant("confirmed_at"),
  /** The time step of the last accepted code: none works twice. */
  lastStep: bigint("last_step", { mode: "number" }),
  createdAt: createdAt(),
});

export const passkeys = pgTable(
  "passkeys",
  {
    /** In base64url. */
    id: text("id").primaryKey(),
    userId: ownerId(),
    name: text("name").notNull(),
    /** COSE, in base64url. */
    publicKey: text("public_key").notNull(),
    counter: bigint("counter", { mode: "number" }).notNull().default(0),
    transports: text("transports").array().notNull().default([]),
    createdAt: createdAt(),
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [
    index("passkeys_user_id_index").on(table.userId),
    check("passkeys_name_check", sql`char_length(${table.name}) BETWEEN 1 AND 100`),
  ],
);

export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    userId: ownerId(),
    /** SHA-256 of the code, in base64url. */
    codeHash: text("code_hash").notNull(),
    usedAt: instant("used_at"),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

/** The private half is encrypted with AUTH_SECRET. */
export const jwks = pgTable("jwks", {
  id: text("id").primaryKey(),
  publicKey: text("public_key").notNull(),
  privateKey: text("private_key").notNull(),
  createdAt: createdAt(),
  /** Signs until then; published a little longer. */
  expiresAt: instant("expires_at").notNull(),
  alg: text("alg").notNull(),
});

/** A token is all it takes to use a link, so only its hash is kept. */
export const mailLinks = pgTable(
  "mail_links",
  {
    /** SHA-256 of the token, in base64url. */
    tokenHash: text("token_hash").primaryKey(),
    purpose: text("purpose").$type<MailLinkPurpose>().notNull(),
    userId: ownerId(),
    /** It proves the address it was sent to: for change_email the new one. */
    email: text("email").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** A path; null: the dashboard. */
    returnTo: text("return_to"),
    /** Kept for a few minutes, so that a form sent twice gets the answer to the first. */
    usedAt: instant("used_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("mail_links_user_id_index").on(table.userId),
    index("mail_links_expires_at_index").on(table.expiresAt),
    check(
      "mail_links_purpose_check",
      sql`${table.purpose} IN ('verify_email', 'reset_password', 'change_email')`,
    ),
  ],
);

export const providerFlows = pgTable(
  "provider_flows",
  {
    /** SHA-256 of the state parameter, in base64url. */
    stateHash: text("state_hash").primaryKey(),
    provider: text("provider").$type<"google" | "facebook">().notNull(),
    intent: text("intent").$type<"sign_in" | "connect" | "confirm">().notNull(),
    /** null when the intent is to sign in. */
    userId: text("user_id").references(() => user.id, { onDelete: "cascade" }),
    /** SHA-256 of the secret in the browser's cookie, in base64url. */
    browserHash: text("browser_hash").notNull(),
    popupNonce: text("popup_nonce").unique(),
    nonce: text("nonce").notNull(),
    codeVerifier: text("code_verifier").notNull(),
    returnTo: text("return_to").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** Its state works once. */
    usedAt: instant("used_at"),
    /** 'ok' or an error code, for an opener that the popup could not notify. */
    outcome: text("outcome"),
    createdAt: createdAt(),
  },
  (table) => [
    index("provider_flows_user_id_index").on(table.userId),
    index("provider_flows_expires_at_index").on(table.expiresAt),
    check("provider_flows_provider_check", sql`${table.provider} IN ('google', 'facebook')`),
    check("provider_flows_intent_check", sql`${table.intent} IN ('sign_in', 'connect', 'confirm')`),
    check("provider_flows_user_id_check", sql`(${table.intent} = 'sign_in') = (${table.userId} IS NULL)`),
  ],
);
