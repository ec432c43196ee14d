import type { WaitlistWidget } from "../config/config.server.ts";
import type { App } from "../http/context.server.ts";

/** How the waitlist can be joined here: by our own form, by a third party's widget, or not at all. */
export type WaitlistOffer = { kind: "form" } | ({ kind: "widget" } & WaitlistWidget) | { kind: "closed" };

/** Without mail our own list is closed: a place could not be confirmed. */
export function waitlistOffer({ config, mailer }: Pick<App, "config" | "mailer">): WaitlistOffer {
  if (config.waitlistWidget) return { kind: "widget", ...config.waitlistWidget };
  return mailer.isOn ? { kind: "form" } : { kind: "closed" };
}
