import { fromContext } from "../../http/context.server.ts";
import { COLORS } from "../../ui/colors.ts";
import type { Route } from "./+types/manifest.ts";
import { textFileResponse } from "./text-file-response.ts";

const ICONS = [
  { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
  { src: "/icon-192.png", sizes: "192x192", type: "image/png" },
  { src: "/icon-512.png", sizes: "512x512", type: "image/png" },
  { src: "/icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
];

/** Installed, the site still opens in the browser. */
export function loader({ context }: Route.LoaderArgs) {
  const { product, tagline } = fromContext(context).app.config.site;
  return textFileResponse(
    "application/manifest+json; charset=utf-8",
    JSON.stringify({
      name: product,
      short_name: product,
      description: tagline,
      lang: "en",
      start_url: "/",
      display: "browser",
      background_color: COLORS.paper,
      theme_color: COLORS.paper,
      icons: ICONS,
    }),
  );
}
