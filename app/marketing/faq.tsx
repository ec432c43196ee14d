import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/faq.ts";
import { pageMeta } from "./title.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Questions and answers", "What people ask before they start.");

export default function Faq() {
  return (
    <Prose>
      <h1>FAQ</h1>
      <details className="w-full border-t border-rule py-3" name="faq" id="mobile">
        <summary className="font-semibold min-h-11 content-center cursor-pointer">
          Is there a mobile app?
        </summary>
        <p className="pt-2">
          Not yet available. The site works on a phone, and we will write here when an app exists.
        </p>
      </details>
      <details className="w-full border-t border-rule py-3" name="faq" id="free">
        <summary className="font-semibold min-h-11 content-center cursor-pointer">
          Can I try it without paying?
        </summary>
        <p className="pt-2">
          Signing up is free, and a promo code gives you a plan for its time. Money moves only on the payment
          page.
        </p>
      </details>
    </Prose>
  );
}
