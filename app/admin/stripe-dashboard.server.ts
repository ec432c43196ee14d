import type { Config } from "../config/config.server.ts";
import { isLiveKey } from "../config/environment.server.ts";

/** Stripe's dashboard, to link an object by its kind and id. */
export function stripeDashboard({ payments }: Pick<Config, "payments">): string {
  const isLive = payments.mode === "stripe" && isLiveKey(payments.secretKey);
  return `https://dashboard.stripe.com${isLive ? "" : "/test"}`;
}
