import type { Site } from "../site.ts";

/** The title and description of a page, from its root match's site. */
export function pageMeta(
  matches: readonly ({ loaderData?: unknown } | undefined)[],
  title: string,
  description: string,
) {
  const root = matches[0]?.loaderData as { site: Site } | undefined;
  return [
    { title: root ? `${title} · ${root.site.product}` : title },
    { name: "description", content: description },
  ];
}
