import type { ReactNode } from "react";
import { FOOTER_COLUMNS, type NavigationLink, networkOf, type Site } from "./site.ts";

/** Spec §2: four columns, then the social links and the year. */
export function Footer({ site, year }: { site: Site; year: number }) {
  return (
    <footer className="border-t-2 border-ink mt-8">
      <div className="page grid gap-8 py-10 grid-cols-[auto_minmax(4rem,1fr)] sm:grid-cols-[1fr_1.6fr_0.7fr] md:grid-cols-[1.6fr_1fr_1.5fr_0.7fr]">
        <div className="grid gap-2 content-start max-md:col-span-full">
          <p className="font-serif font-bold text-[1.35rem]">{site.product}</p>
          <p className="text-quiet max-w-[24rem]">{site.tagline}</p>
        </div>
        {FOOTER_COLUMNS.map(({ title, links }) => (
          <Column key={title} title={title} links={links}>
            {title === "Support" && site.communityUrl && (
              <FooterLink href={site.communityUrl} label="Community chat" />
            )}
            {title === "Support" && site.supportEmail && (
              <FooterLink href={`mailto:${site.supportEmail}`} label={site.supportEmail} />
            )}
          </Column>
        ))}
      </div>
      <div className="page flex flex-wrap gap-x-6 items-center justify-between pb-8 text-quiet text-[0.9375rem]">
        <p>
          {`© ${year} ${site.company ?? site.product}`}
          {site.companyAddress && ` · ${site.companyAddress}`}
        </p>
        <ul className="flex flex-wrap gap-x-6">
          <FooterLink href="/blog" label="Blog" />
          <FooterLink href="/changelog" label="What we’re building" />
          {[site.communityUrl, site.microblogUrl, site.codeHostUrl].map(
            (url) => url && <FooterLink key={url} href={url} label={networkOf(url)} />,
          )}
        </ul>
      </div>
    </footer>
  );
}

function Column({ title, links, children }: { title: string; links: NavigationLink[]; children: ReactNode }) {
  return (
    <nav
      aria-label={title}
      className={`grid gap-1 content-start ${title === "Support" ? "max-sm:order-last max-sm:col-span-2" : ""}`}
    >
      <p className="font-semibold">{title}</p>
      <ul>
        {links.map((link) => (
          <FooterLink key={link.href} {...link} />
        ))}
        {children}
      </ul>
    </nav>
  );
}

function FooterLink({ href, label }: NavigationLink) {
  return (
    <li>
      <a
        href={href}
        className="inline-flex items-center min-h-11 px-2 -mx-2 no-underline hover:underline [overflow-wrap:anywhere]"
      >
        {label}
      </a>
    </li>
  );
}
