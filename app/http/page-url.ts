/** React Router fetches a page's data at a URL of its own. */
export function pageUrl({ url }: Pick<Request, "url">): URL {
  const asked = new URL(url);
  if (asked.pathname.endsWith(".data")) {
    asked.pathname = asked.pathname.slice(0, -".data".length);
    asked.searchParams.delete("_routes");
  }
  return asked;
}
