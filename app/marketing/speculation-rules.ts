import { PUBLIC_PAGES } from "./pages.ts";

/**
 * Which links a browser may follow before they are clicked: the public pages, which are the same for everyone, and
 * nothing with a query. Sent by header (`Speculation-Rules`), because public pages have no script element to write it in.
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
