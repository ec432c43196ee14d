import { useSite } from "../site.ts";
import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/faq.ts";
import { faqQuestions } from "./faq/questions.ts";
import { faqPage } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  publicMeta(matches, "/faq", (site) => [faqPage(faqQuestions(site))]);

export default function Faq() {
  return (
    <Prose>
      <h1>FAQ</h1>
      {faqQuestions(useSite()).map(({ id, question, answer }) => (
        <details key={id} className="w-full border-t border-rule py-3" name="faq" id={id}>
          <summary className="font-semibold min-h-11 content-center cursor-pointer">{question}</summary>
          {answer.map((paragraph) => (
            <p key={paragraph} className="pt-2">
              {paragraph}
            </p>
          ))}
        </details>
      ))}
    </Prose>
  );
}
