import { fromContext } from "../../http/context.server.ts";
import type { Route } from "./+types/robots.ts";
import { PLAIN_TEXT, textFileResponse } from "./text-file-response.ts";

/** Saves requests; protects nothing. */
const DISALLOWED_PATHS = [
  "/subscription",
  "/dashboard",
  "/test-promo",
  "/logout",
  "/waitlist/",
  "/sandbox/",
  "/functions/",
  "/webhooks/",
];

/** RFC 9309. /login and /register are allowed: a crawler must fetch them to see that they are marked noindex. */
export function loader({ context }: Route.LoaderArgs) {
  const { origin } = fromContext(context).app.config.site;
  const rules = DISALLOWED_PATHS.map((path) => `Disallow: ${path}`);
  return textFileResponse(
    PLAIN_TEXT,
    ["User-agent: *", ...rules, "", `Sitemap: ${origin}/sitemap.xml`, ""].join("\n"),
  );
}
