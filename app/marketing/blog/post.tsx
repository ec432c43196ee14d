import { Marked } from "marked";
import { data } from "react-router";
import { EntryDay } from "../../news/entry.tsx";
import { Prose } from "../../ui/prose.tsx";
import { publicMeta } from "../seo/public-meta.ts";
import type { Route } from "./+types/post.ts";
import { POSTS } from "./posts.server.ts";

export const meta: Route.MetaFunction = ({ matches, loaderData }) =>
  loaderData ? publicMeta(matches, loaderData.page) : [];

export function loader({ params }: Route.LoaderArgs) {
  const post = POSTS.find(({ path }) => path === `/blog/${params.post}`);
  if (!post) throw data(null, { status: 404 });
  const { text, ...page } = post;
  return { page, html: marked.parse(text, { async: false }) };
}

const marked = new Marked({
  renderer: {
    html(): string {
      throw new Error("a post holds no HTML");
    },
    list({ items }) {
      return `<ul class="list">${items.map((item) => this.listitem(item)).join("")}</ul>`;
    },
  },
});

export default function BlogPost({ loaderData: { page, html } }: Route.ComponentProps) {
  return (
    <Prose>
      <h1>{page.title}</h1>
      <EntryDay day={page.day} />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered from our own Markdown, without HTML of its own */}
      <article className="grid gap-5" dangerouslySetInnerHTML={{ __html: html }} />
      <p>
        <a href="/blog" className="inline-flex items-center min-h-11">
          All posts
        </a>
      </p>
    </Prose>
  );
}
