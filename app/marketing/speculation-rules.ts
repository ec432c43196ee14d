import { PUBLIC_PAGES } from "./pages.ts";

/**
 * The links a browser may prerender: public pages without a query, which do nothing by being fetched. Referenced by
 * the `Speculation-Rules` header, because the policy of public pages allows no inline script.
 */
export function loader() {
  const rules = {
    prerender: [
      {
        source: "document",
        where: { href_matches: PUBLIC_PAGES.map(({ path }) => ({ pathname: path, search: "" })) },
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
