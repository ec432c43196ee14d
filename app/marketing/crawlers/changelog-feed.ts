import { fromContext } from "../../http/context.server.ts";
import type { Route } from "./+types/changelog-feed.ts";
import { atomFeed } from "./atom.ts";

export function loader({ context }: Route.LoaderArgs) {
  const { changelog, config } = fromContext(context).app;
  const entries = changelog.current().map(({ id, title, body, updatedAt }) => ({
    path: `/changelog#${id}`,
    title,
    updated: updatedAt,
    summary: body,
  }));
  return atomFeed(config.site, { path: "/changelog", name: "Changelog" }, entries);
}
