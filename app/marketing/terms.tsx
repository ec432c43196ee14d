import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/terms.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/terms");

export default function Terms() {
  return (
    <Prose>
      <h1>Terms</h1>
      <p>
        This is a beta. Plans renew until you cancel, and what you paid for stays yours until the end of the
        time you paid for.
      </p>
    </Prose>
  );
}
