import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "../config/config.server.ts";
import type { Site } from "../ui/site.ts";

type Secrets = Pick<Config, "authSecret">;

/** The user's id, and who made the link: HMAC-SHA256 in base64url. */
const TOKEN = /^([\w-]{36})_[\w-]{43}$/;

function tokenOf(userId: string, { authSecret }: Secrets): string {
  const mac = createHmac("sha256", authSecret).update(`product news of ${userId}`).digest("base64url");
  return `${userId}_${mac}`;
}

/** The link in each mail that ends product news without signing in. */
export function unsubscribeLink(userId: string, config: Secrets & { site: Pick<Site, "origin"> }): string {
  return `${config.site.origin}/news/unsubscribe?token=${tokenOf(userId, config)}`;
}

/** Whose link a request was sent with; `null` when the link is none of ours. */
export function readUnsubscribeLink({ url }: Request, config: Secrets): string | null {
  const token = new URL(url).searchParams.get("token") ?? "";
  const [, userId] = TOKEN.exec(token) ?? [];
  return userId && timingSafeEqual(Buffer.from(token), Buffer.from(tokenOf(userId, config))) ? userId : null;
}
