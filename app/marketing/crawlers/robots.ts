import { fromContext } from "../../http/context.server.ts";
import type { Route } from "./+types/robots.ts";
import { answerFile, PLAIN_TEXT } from "./answer.ts";

/** Where a crawler finds nothing but a way to sign in; spared it for its own sake, since this list hides nothing. */
const NOTHING_TO_READ = [
  "/subscription",
  "/dashboard",
  "/test-promo",
  "/logout",
  "/waitlist/",
  "/sandbox/",
  "/functions/",
  "/webhooks/",
];

/** RFC 9309. /login and /register are not on it: to see that they are not to be indexed one must read them. */
export function loader({ context }: Route.LoaderArgs) {
  const { origin } = fromContext(context).app.config.site;
  const rules = NOTHING_TO_READ.map((path) => `Disallow: ${path}`);
  return answerFile(
    PLAIN_TEXT,
    ["User-agent: *", ...rules, "", `Sitemap: ${origin}/sitemap.xml`, ""].join("\n"),
  );
}
