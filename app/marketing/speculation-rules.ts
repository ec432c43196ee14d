import { PUBLIC_PAGES } from "./pages.ts";

/**
 * The links a browser may prerender: public pages without a query, which do nothing by being fetched. Referenced by
 * the `Speculation-Rules` header, because the policy of public pages allows no inline script.
 */
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
