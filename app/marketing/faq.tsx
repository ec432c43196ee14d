import { ButtonLink } from "../ui/button.tsx";
import { replyPromise } from "../ui/offer.ts";
import { useSite } from "../ui/site.ts";
import { StatementLine, StatementSheet } from "../ui/statement.tsx";
import { SupportLink } from "../ui/support-link.tsx";
import type { Route } from "./+types/faq.ts";
import { FaqList } from "./faq/faq-list.tsx";
import { faqQuestions, plainText } from "./faq/questions.ts";
import { faqPage } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  publicMeta(matches, "/faq", (site, features, isSelling) => [
    faqPage(
      faqQuestions(site, features, isSelling).map(({ question, answer }) => ({
        question,
        answer: answer.map(plainText),
      })),
    ),
  ]);

export default function Faq() {
  const site = useSite();
  return (
    <div className="page py-10 md:py-16 grid gap-10 md:grid-cols-[1.6fr_1fr] md:gap-16">
      <div className="grid gap-6 content-start justify-items-start">
        <h1>FAQ</h1>
        <p className="lead">Six questions people ask before they start.</p>
        <FaqList />
        <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
      </div>
      <aside className="grid gap-6 content-start sticky top-4 self-start" aria-labelledby="more">
        <div className="hidden md:block">
          <StatementSheet caption="Questions a statement leaves open">
            {OPEN_QUESTIONS.map((line) => (
              <StatementLine key={line.text} line={line} label={line.label} />
            ))}
          </StatementSheet>
        </div>
        <h2 id="more" className="text-[1.5rem]">
          Something else?
        </h2>
        <p>
          Email <SupportLink />,{" "}
          {site.communityUrl && (
            <>
              ask in the <a href={site.communityUrl}>community chat</a>,{" "}
            </>
          )}
          or use the <a href="/contact">contact form</a>. {replyPromise(site)}
        </p>
      </aside>
    </div>
  );
}

const OPEN_QUESTIONS = [
  { text: "ACH DEBIT 0093", minorUnits: -750, label: "What was this again?" },
  { text: "ATM WITHDRAWAL 0118", minorUnits: -6000, label: "And where did it go?" },
];
