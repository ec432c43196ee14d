import { useSite } from "../site.ts";
import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/faq.ts";
import { FaqList } from "./faq/faq-list.tsx";
import { faqQuestions } from "./faq/questions.ts";
import { faqPage } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  publicMeta(matches, "/faq", (site) => [faqPage(faqQuestions(site))]);

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
