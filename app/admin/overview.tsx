import type { Route } from "./+types/overview.ts";
import { ConsolePage } from "./console-page.tsx";
import { requireOperator } from "./operator.server.ts";

export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  return null;
}

export default function Overview() {
  return (
    <ConsolePage title="Overview">
      <p>Everything the site counts.</p>
    </ConsolePage>
  );
}
