import { EntryDay } from "../../news/entry.tsx";
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
    <div className="page py-10 md:py-16">
      <div className="grid gap-3 pb-8">
        <h1>Blog</h1>
        <p className="lead">Money in your own words: how to name it, and what you see once you have.</p>
        <p className="text-quiet">
          Subscribe in <a href="/blog/feed.xml">a feed reader</a>. For short updates, see{" "}
          <a href="/changelog">What we’re building</a>.
        </p>
      </div>
      {posts.map(({ path, title, day, description, shows: { label, ...line } }) => (
        <article key={path} className="entry items-center">
          <div className="grid gap-2">
            <h2>
              <a href={path} className="inline-flex py-2 -my-2">
                {title}
              </a>
            </h2>
            <EntryDay day={day} />
            <p>{description}</p>
          </div>
          <ul className="sheet py-1">
            <StatementLine line={line} label={label} className="border-0" />
          </ul>
        </article>
      ))}
    </div>
  );
}
