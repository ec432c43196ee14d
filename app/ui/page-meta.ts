import type { Site } from "./site.ts";

/** For pages that search engines must not index. Public pages use `publicMeta`. */
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
