import { fromContext } from "../../http/context.server.ts";
import { POSTS } from "../blog/posts.server.ts";
import type { Route } from "./+types/blog-feed.ts";
import { atomFeed } from "./atom.ts";

export function loader({ context }: Route.LoaderArgs) {
  const entries = POSTS.map(({ path, title, day, description }) => ({
    path,
    title,
    updated: new Date(day),
    summary: description,
  }));
  return atomFeed(fromContext(context).app.config.site, { path: "/blog", name: "Blog" }, entries);
}
