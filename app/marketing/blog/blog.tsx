import { EntryDay } from "../../news/entry.tsx";
import { Prose } from "../../ui/prose.tsx";
import { StatementLine } from "../../ui/statement.tsx";
import { publicMeta } from "../seo/public-meta.ts";
import type { Route } from "./+types/blog.ts";
import { POSTS } from "./posts.server.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/blog");

export function loader() {
  return { posts: POSTS };
}

export default function Blog({ loaderData: { posts } }: Route.ComponentProps) {
  return (
    <Prose>
      <h1>Blog</h1>
      <p>
        Longer stories. Follow them in <a href="/blog/feed.xml">a feed reader</a>. Short news is under{" "}
        <a href="/changelog">What we’re building</a>.
      </p>
      {posts.map(({ path, title, day, description, shows: { label, ...line } }) => (
        <article key={path} className="grid gap-2 pt-6">
          <h2>
            <a href={path} className="inline-flex items-center min-h-11">
              {title}
            </a>
          </h2>
          <EntryDay day={day} />
          <p>{description}</p>
          <ul className="sheet mt-2 py-1">
            <StatementLine line={line} label={label} />
          </ul>
        </article>
      ))}
    </Prose>
  );
}
