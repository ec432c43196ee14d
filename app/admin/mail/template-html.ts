import { data } from "react-router";
import { toHtml } from "../../mail/email-template.server.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/template-html.ts";
import { findSample } from "./samples.ts";

/** Mails carry their own styles; only our pages may frame this. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; sandbox";

export async function loader(args: Route.LoaderArgs) {
  const { site } = (await requireOperator(args)).config;
  const sample = findSample(args.params.template);
  if (!sample) throw data(null, { status: 404 });
  return new Response(toHtml(site, sample.write(site)), {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY },
  });
}
