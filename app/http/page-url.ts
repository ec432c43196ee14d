/** React Router fetches a page's data at a URL of its own. */
export function pageUrl({ url }: Pick<Request, "url">): URL {
  const page = new URL(url);
  if (page.pathname.endsWith(".data")) {
    page.pathname = page.pathname.slice(0, -".data".length);
    page.searchParams.delete("_routes");
  }
  return page;
}
