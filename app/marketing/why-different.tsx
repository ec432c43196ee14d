import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/why-different.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/why-different");

export default function WhyDifferent() {
  return (
    <Prose>
      <h1>Why We're Different</h1>
      <p>
        Other apps guess: a shop becomes “Groceries” because somebody in an office decided so. Then you spend
        your evenings correcting them.
      </p>
      <p>
        Here you name your own spending categories and income sources, and link keywords to them. It costs you
        about ten minutes, once. After that every new line with your keyword carries your word.
      </p>
    </Prose>
  );
}
