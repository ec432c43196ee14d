import { useSite } from "../site.ts";
import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/faq.ts";
import { FaqList } from "./faq/faq-list.tsx";
import { pageMeta } from "./title.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Questions and answers", "What people ask before they start.");

export default function Faq() {
  const site = useSite();
  return (
    <Prose>
      <h1>FAQ</h1>
      <p>Six questions people ask before they start.</p>
      <FaqList site={site} headingLevel="h2" />
      <p>
        Something else? Write to <a href={`mailto:${site.supportEmail}`}>{site.supportEmail}</a>, ask in the{" "}
        <a href={site.communityUrl}>community chat</a>, or use the <a href="/contact">contact form</a>. A
        person answers.
      </p>
    </Prose>
  );
}
