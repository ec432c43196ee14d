import { PUBLIC_PAGES } from "./pages.ts";

/** Public pages without a query may be prerendered. Referenced by a header, because their policy allows no inline script. */
export function loader() {
  const below = PUBLIC_PAGES.filter(({ path }) => path !== "/").map(({ path }) => path.slice(1));
  const rules = {
    prerender: [
      {
        source: "document",
        // As one pattern, because every first visit fetches them.
        where: {
          href_matches: [
            { pathname: "/", search: "" },
            { pathname: `/(${below.join("|")})`, search: "" },
          ],
        },
        eagerness: "moderate",
      },
    ],
  };
  return Response.json(rules, {
    headers: {
      "Content-Type": "application/speculationrules+json",
      "Cache-Control": "public, max-age=86400",
    },
  });
}
