import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/features.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/features");

export default function Features() {
  return (
    <Prose>
      <h1>Features</h1>
      <p>
        Everything here works on categories and income sources you named yourself. It is beta, phase 1: CSV
        processing and the banking API are coming.
      </p>
      <ul className="label-list">
        <li>Budgets that send you an email before they run out.</li>
        <li>Trends of each category over the months.</li>
        <li>Credit-card analysis.</li>
        <li>Goals with a date.</li>
        <li>Bank connections.</li>
      </ul>
    </Prose>
  );
}
