import { fromContext } from "../../http/context.server.ts";
import type { Route } from "./+types/security.ts";
import { answerFile, PLAIN_TEXT } from "./answer.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** It must be less than a year (RFC 9116 §2.5.5). A site that still answers says it anew every day. */
const EXPIRES_AFTER_DAYS = 180;

/** Where to report a weakness (RFC 9116). */
export function loader({ context }: Route.LoaderArgs) {
  const { origin, supportEmail } = fromContext(context).app.config.site;
  const today = Math.floor(Date.now() / DAY_MILLISECONDS);
  const expires = new Date((today + EXPIRES_AFTER_DAYS) * DAY_MILLISECONDS);
  const fields = [
    `Contact: mailto:${supportEmail}`,
    `Expires: ${expires.toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${origin}/.well-known/security.txt`,
  ];
  return answerFile(PLAIN_TEXT, `${fields.join("\n")}\n`);
}
