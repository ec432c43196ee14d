import type { Site } from "./site.ts";

/**
 * Title and description of a page that search engines must not index, such as those of the account. Public pages use
 * `publicMeta`. The product's name comes from the root match.
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
