import { fromContext } from "../../http/context.server.ts";
import { ALL_PUBLIC_PAGES } from "../blog/posts.server.ts";
import type { Route } from "./+types/sitemap.ts";
import { textFileResponse } from "./text-file-response.ts";

/** sitemaps.org. Without lastmod, which we do not know. */
export function loader({ context }: Route.LoaderArgs) {
  const { origin } = fromContext(context).app.config.site;
  const urls = ALL_PUBLIC_PAGES.map(({ path }) => `  <url><loc>${origin}${path}</loc></url>\n`);
  return textFileResponse(
    "application/xml; charset=utf-8",
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`,
  );
}
