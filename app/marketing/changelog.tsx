import { fromContext } from "../http/context.server.ts";
import { EntryDay, paragraphsOf } from "../news/entry.tsx";
import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/changelog.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/changelog");

export function loader({ context }: Route.LoaderArgs) {
  return { entries: fromContext(context).app.changelog.current() };
}

export default function Changelog({ loaderData: { entries } }: Route.ComponentProps) {
  return (
    <Prose>
      <h1>What we’re building</h1>
      <p>
        News about the product, newest first. Follow it in <a href="/changelog/feed.xml">a feed reader</a>, or
        by email: turn on product news in your <a href="/account">account</a>. Longer stories are on the{" "}
        <a href="/blog">Blog</a>.
      </p>
      {entries.length === 0 && (
        <p>
          No news yet. Each feature is announced here when it opens. Until then, read the{" "}
          <a href="/blog">Blog</a>, or <a href="/waitlist">join the waitlist</a> and we’ll email you when it’s
          your turn.
        </p>
      )}
      {entries.map((entry) => (
        <article key={entry.id} id={entry.id} className="grid gap-3 pt-4">
          <h2>{entry.title}</h2>
          <EntryDay {...entry} />
          {paragraphsOf(entry.body).map((text) => (
            <p key={text}>{text}</p>
          ))}
        </article>
      ))}
    </Prose>
  );
}
