import { ButtonLink } from "../ui/button.tsx";
import { replyPromise } from "../ui/offer.ts";
import { useSite } from "../ui/site.ts";
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
        <p className="lead">What people ask before they start.</p>
        <FaqList />
        <p>Not ready to buy? The waitlist is free.</p>
        <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
      </div>
      <aside className="grid gap-6 content-start md:pt-4 sticky top-4 self-start" aria-labelledby="more">
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
