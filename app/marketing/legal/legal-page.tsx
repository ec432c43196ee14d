import { FormattedDate } from "../../ui/formatted-date.tsx";
import type { LegalText } from "./legal-text.server.ts";

export function LegalPage({ title, text }: { title: string; text: LegalText }) {
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
        <p className="font-semibold">On this page</p>
        <ul>
          {text.sections.map((section) => (
            <li key={section.id}>
              <a href={`#${section.id}`} className="inline-flex items-center min-h-11">
                {section.title}
              </a>
            </li>
          ))}
        </ul>
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
