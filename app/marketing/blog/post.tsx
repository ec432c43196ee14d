import { Marked } from "marked";
import { data } from "react-router";
import { EntryDay } from "../../news/entry.tsx";
import { StatementLine } from "../../ui/statement.tsx";
import { publicMeta } from "../seo/public-meta.ts";
import type { Route } from "./+types/post.ts";
import { POSTS } from "./posts.server.ts";

export const meta: Route.MetaFunction = ({ matches, loaderData }) =>
  loaderData ? publicMeta(matches, loaderData.page) : [];

export function loader({ params }: Route.LoaderArgs) {
  const post = POSTS.find(({ path }) => path === `/blog/${params.post}`);
  if (!post) throw data(null, { status: 404 });
  const { text, shows, ...page } = post;
  const others = POSTS.filter((each) => each !== post).map(({ path, title }) => ({ path, title }));
  return { page, shows, html: marked.parse(text, { async: false }), others };
}

const marked = new Marked({
  renderer: {
    html(): string {
      throw new Error("a post holds no HTML");
    },
    heading({ depth, tokens }) {
      return `<h${depth} class="pt-4 text-[1.5rem]">${this.parser.parseInline(tokens)}</h${depth}>`;
    },
    list({ items }) {
      return `<ul class="list">${items.map((item) => this.listitem(item)).join("")}</ul>`;
    },
  },
});

export default function BlogPost({ loaderData: { page, shows, html, others } }: Route.ComponentProps) {
  const { label, ...line } = shows;
  return (
    <div className="page py-10 md:py-16 grid gap-10 md:grid-cols-[1.6fr_1fr] md:gap-16">
      <div className="grid gap-5 content-start measure">
        <h1 className="text-balance">{page.title}</h1>
        <EntryDay day={page.day} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered from our own Markdown, without HTML of its own */}
        <article className="grid gap-5" dangerouslySetInnerHTML={{ __html: html }} />
      </div>
      <aside className="grid gap-4 content-start sticky top-4 self-start" aria-labelledby="others">
        <ul className="sheet py-1 hidden md:block">
          <StatementLine line={line} label={label} className="border-0" />
        </ul>
        <h2 id="others" className="text-[1.5rem] pt-4">
          More from the blog
        </h2>
        <ul>
          {others.map(({ path, title }) => (
            <li key={path}>
              <a href={path} className="inline-flex items-center min-h-11">
                {title}
              </a>
            </li>
          ))}
          <li>
            <a href="/blog" className="inline-flex items-center min-h-11">
              All posts
            </a>
          </li>
        </ul>
      </aside>
    </div>
  );
}
