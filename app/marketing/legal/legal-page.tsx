import { fromContext } from "../../http/context.server.ts";
import { FormattedDate } from "../../ui/formatted-date.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { publicPageAt } from "../pages.ts";
import { publicMeta } from "../seo/public-meta.ts";
import type { Route } from "./+types/legal-page.ts";
import { renderLegalText } from "./legal-text.server.ts";
import privacy from "./privacy.md?raw";
import terms from "./terms.md?raw";

const SOURCES = new Map([
  ["/privacy", privacy],
  ["/terms", terms],
]);

export const handle: RouteHandle = { styles: "legal" };

export const meta: Route.MetaFunction = ({ matches, location }) => publicMeta(matches, location.pathname);

export function loader({ request, context }: Route.LoaderArgs) {
  const { config, features } = fromContext(context).app;
  const path = new URL(request.url).pathname;
  const text = renderLegalText(SOURCES.get(path) ?? "", config, features.current());
  return { title: publicPageAt(path)?.title, text };
}

export default function LegalPage({ loaderData: { title, text } }: Route.ComponentProps) {
  return (
    <article className="page legal">
      <header>
        <h1>{title}</h1>
        <p className="text-quiet">
          Last updated <FormattedDate instant={text.updated} />
        </p>
        <h2 id="in-short">In short</h2>
        <Html of={text.summary} />
      </header>
      <nav aria-label="On this page">
        <details>
          <summary className="min-h-11 content-center cursor-pointer font-semibold">On this page</summary>
          <ul>
            {text.sections.map((section) => (
              <li key={section.id}>
                <a href={`#${section.id}`} className="inline-flex items-center min-h-11">
                  {section.title}
                </a>
              </li>
            ))}
          </ul>
        </details>
      </nav>
      <Html of={text.body} />
    </article>
  );
}

/** For HTML rendered from our own Markdown, with escaped settings. */
function Html({ of: html }: { of: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: see above; no user input gets here
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
