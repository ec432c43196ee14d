/** The address of the page that a request is about: React Router asks for a page's data at one of its own. */
export function pageUrl({ url }: Pick<Request, "url">): URL {
  const asked = new URL(url);
  if (asked.pathname.endsWith(".data")) {
    asked.pathname = asked.pathname.slice(0, -".data".length);
    asked.searchParams.delete("_routes");
  }
  return asked;
}
