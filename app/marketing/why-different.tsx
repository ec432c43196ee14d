import type { RouteHandle } from "../root.tsx";
import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/why-different.ts";
import { pageMeta } from "./title.ts";
import { tryItFromQuery } from "./try-it/from-query.ts";
import { TryIt } from "./try-it/try-it.tsx";

export const handle: RouteHandle = { island: "try-it" };

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(
    matches,
    "Why We're Different",
    "Other apps guess your categories. This one asks you to name them, once, and remembers.",
  );

export function loader({ request }: Route.LoaderArgs) {
  return { tried: tryItFromQuery(new URL(request.url).searchParams) };
}

export default function WhyDifferent({ loaderData: { tried } }: Route.ComponentProps) {
  return (
    <>
      <Prose>
        <h1>Why We're Different</h1>
        <p>
          Other apps guess: a shop becomes “Groceries” because somebody in an office decided so. Then you
          spend your evenings correcting them.
        </p>
        <p>
          Here you name your own spending categories and income sources, and link keywords to them. It costs
          you about ten minutes, once. After that every new line with your keyword carries your word.
        </p>
      </Prose>
      <TryIt tried={tried} />
    </>
  );
}
