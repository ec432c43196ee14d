import type { FeatureStates } from "../../entitlements/features.ts";
import type { Site } from "../../ui/site.ts";
import { type PublicPage, publicPageAt } from "../pages.ts";
import { breadcrumbs, jsonLdGraph, type Thing } from "./json-ld.ts";
import { describeSharePicture, SHARE_PICTURE_SIZE, sharePicturePath } from "./share-picture.ts";

const FEEDS = ["/changelog", "/blog"];

/**
 * Title, description, canonical URL, Open Graph (ogp.me), which Twitter cards use too, and JSON-LD.
 * @param matches the first is the root, whose loader returns the site
 * @param thingsShown schema.org things besides its breadcrumbs
 */
export function publicMeta(
  matches: readonly ({ loaderData?: unknown } | undefined)[],
  shownPage: string | PublicPage,
  thingsShown: (site: Site, features: FeatureStates, isSelling: boolean) => Thing[] = () => [],
) {
  const root = matches[0]?.loaderData as
    | { site: Site; features: FeatureStates; isSelling: boolean }
    | undefined;
  const page = typeof shownPage === "string" ? publicPageAt(shownPage) : shownPage;
  if (!root || !page) return [];
  const { path } = page;
  const { site, features, isSelling } = root;
  const url = site.origin + path;
  const shown = thingsShown(site, features, isSelling);
  const things = path === "/" ? shown : [...shown, breadcrumbs(site, page)];
  return [
    { title: documentTitle(site, page) },
    { name: "description", content: page.description },
    { tagName: "link", rel: "canonical", href: url },
    ...openGraph(site, page, url),
    ...(FEEDS.includes(path)
      ? [{ tagName: "link", rel: "alternate", type: "application/atom+xml", href: `${url}/feed.xml` }]
      : []),
    { name: "twitter:card", content: "summary_large_image" },
    { "script:ld+json": jsonLdGraph(things) },
  ];
}

/** For a page that adds to its title after a form error. */
export function publicTitle(site: Site, path: string): string {
  const page = publicPageAt(path);
  return page ? documentTitle(site, page) : site.product;
}

function documentTitle(site: Site, page: PublicPage): string {
  return page.path === "/" ? `${site.product}: ${ownTitle(site, page)}` : `${page.title} · ${site.product}`;
}

/** The home page's is the operator's headline. */
function ownTitle({ headline }: Site, { path, title }: PublicPage): string {
  return path === "/" ? headline.replace(/\.$/, "") : title;
}

function openGraph(site: Site, page: PublicPage, url: string) {
  const properties = {
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
  return Object.entries(properties).map(([name, content]) => ({
    property: `og:${name}`,
    content: String(content),
  }));
}
