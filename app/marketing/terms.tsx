import { fromContext } from "../http/context.server.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/terms.ts";
import { LegalPage } from "./legal/legal-page.tsx";
import { renderLegalText } from "./legal/legal-text.server.ts";
import source from "./legal/terms.md?raw";
import { publicMeta } from "./seo/public-meta.ts";

export const handle: RouteHandle = { styles: "legal" };

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/terms");

export function loader({ context }: Route.LoaderArgs) {
  const { config, features } = fromContext(context).app;
  return renderLegalText(source, config, features.current());
}

export default function Terms({ loaderData }: Route.ComponentProps) {
  return <LegalPage title="Terms" text={loaderData} />;
}
