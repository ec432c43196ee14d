import type { WaitlistWidget } from "../config/waitlist-widget.ts";
import type { App } from "../http/context.server.ts";

/** How the waitlist can be joined: with our own form, with a third party's widget, or not at all. */
export type WaitlistMode = { kind: "form" } | ({ kind: "widget" } & WaitlistWidget) | { kind: "closed" };

/** Without a mail server our own list is closed, because places are confirmed by email. */
export function waitlistMode({ config, mailer }: Pick<App, "config" | "mailer">): WaitlistMode {
  if (config.waitlistWidget) return { kind: "widget", ...config.waitlistWidget };
  return mailer.isOn ? { kind: "form" } : { kind: "closed" };
}
