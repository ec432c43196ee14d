import type { Site } from "./site.ts";

/**
 * The title and description of a page that is nobody's way in, such as the account's: search engines are asked to
 * leave it out. The public pages have `publicMeta`. The site comes from the root match.
 */
export function pageMeta(
  matches: readonly ({ loaderData?: unknown } | undefined)[],
  title: string,
  description: string,
) {
  const root = matches[0]?.loaderData as { site: Site } | undefined;
  return [
    { title: root ? `${title} · ${root.site.product}` : title },
    { name: "description", content: description },
    { name: "robots", content: "noindex" },
  ];
}
