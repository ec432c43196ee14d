import { fromContext } from "../context.server.ts";
import type { Route } from "./+types/privacy.ts";
import { LegalPage } from "./legal/legal-page.tsx";
import { renderLegalText } from "./legal/legal-text.server.ts";
import source from "./legal/privacy.md?raw";
import { pageMeta } from "./title.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Privacy", "What is stored, why, and how to have it deleted.");

export function loader({ context }: Route.LoaderArgs) {
  return renderLegalText(source, fromContext(context).app.config);
}

export default function Privacy({ loaderData }: Route.ComponentProps) {
  return <LegalPage title="Privacy" text={loaderData} />;
}
