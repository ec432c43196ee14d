import { fromContext } from "../context.server.ts";
import type { Route } from "./+types/terms.ts";
import { LegalPage } from "./legal/legal-page.tsx";
import { renderLegalText } from "./legal/legal-text.server.ts";
import source from "./legal/terms.md?raw";
import { pageMeta } from "./title.ts";

export const meta: Route.MetaFunction = ({ matches }) => pageMeta(matches, "Terms", "The terms of the beta.");

export function loader({ context }: Route.LoaderArgs) {
  return renderLegalText(source, fromContext(context).app.config);
}

export default function Terms({ loaderData }: Route.ComponentProps) {
  return <LegalPage title="Terms" text={loaderData} />;
}
