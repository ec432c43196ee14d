import type { Site } from "../../ui/site.ts";
import { type PublicPage, publicPageAt } from "../pages.ts";
import { breadcrumbs, inOneGraph, type Thing } from "./json-ld.ts";
import { describeSharePicture, SHARE_PICTURE_SIZE, sharePicturePath } from "./share-picture.ts";

/**
 * What a public page tells search engines and the networks it is shared on: title, description, its one address,
 * Open Graph (ogp.me) and JSON-LD. Twitter's cards take what they need from Open Graph.
 *
 * @param matches the meta function's own; the first is the root, which knows the site
 * @param thingsShown what else of schema.org the page shows, beside where it stands on the site
 */
export function publicMeta(
  matches: readonly ({ loaderData?: unknown } | undefined)[],
  path: string,
  thingsShown: (site: Site) => Thing[] = () => [],
) {
  const root = matches[0]?.loaderData as { site: Site } | undefined;
  const page = publicPageAt(path);
  if (!root || !page) return [];
  const { site } = root;
  const url = site.origin + path;
  const things = path === "/" ? thingsShown(site) : [...thingsShown(site), breadcrumbs(site, page)];
  return [
    { title: documentTitle(site, page) },
    { name: "description", content: page.description },
    { tagName: "link", rel: "canonical", href: url },
    ...openGraph(site, page, url),
    { name: "twitter:card", content: "summary_large_image" },
    { "script:ld+json": inOneGraph(things) },
  ];
}

/** The title alone, for a page whose answer to a form has another. */
export function publicTitle(site: Site, path: string): string {
  const page = publicPageAt(path);
  return page ? documentTitle(site, page) : site.product;
}

function documentTitle(site: Site, page: PublicPage): string {
  return page.path === "/" ? `${site.product}: ${ownTitle(site, page)}` : `${page.title} · ${site.product}`;
}

/** The home page's is the tagline, whatever the operator made it. */
function ownTitle({ tagline }: Site, { path, title }: PublicPage): string {
  return path === "/" ? tagline.replace(/\.$/, "") : title;
}

function openGraph(site: Site, page: PublicPage, url: string) {
  const facts = {
    type: "website",
    site_name: site.product,
    locale: "en_US",
    title: ownTitle(site, page),
    description: page.description,
    url,
    image: site.origin + sharePicturePath(page),
    "image:width": SHARE_PICTURE_SIZE.width,
    "image:height": SHARE_PICTURE_SIZE.height,
    "image:alt": describeSharePicture(page.picture),
  };
  return Object.entries(facts).map(([name, content]) => ({
    property: `og:${name}`,
    content: String(content),
  }));
}
