import { fromContext } from "../../http/context.server.ts";
import { supportUrl } from "../../ui/site.ts";
import type { Route } from "./+types/security.ts";
import { PLAIN_TEXT, textFileResponse } from "./text-file-response.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** Must be less than a year (RFC 9116 §2.5.5). Renewed every day. */
const EXPIRES_AFTER_DAYS = 180;

/** RFC 9116. */
export function loader({ context }: Route.LoaderArgs) {
  const { site } = fromContext(context).app.config;
  const today = Math.floor(Date.now() / DAY_MILLISECONDS);
  const expires = new Date((today + EXPIRES_AFTER_DAYS) * DAY_MILLISECONDS);
  const fields = [
    `Contact: ${supportUrl(site)}`,
    `Expires: ${expires.toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${site.origin}/.well-known/security.txt`,
  ];
  return textFileResponse(PLAIN_TEXT, `${fields.join("\n")}\n`);
}
