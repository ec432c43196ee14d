import type { ReactNode } from "react";
import { useFeatures } from "../entitlements/features.ts";
import { replyPromise } from "../ui/offer.ts";
import { useSite } from "../ui/site.ts";
import { SupportLink } from "../ui/support-link.tsx";

/** @param hasWidget whether a third party's script is on the page */
export function TrustBand({ hasWidget }: { hasWidget: boolean }) {
  const site = useSite();
  const features = useFeatures();
  const { product, company, companyAddress } = site;
  return (
    <section className="page band" aria-labelledby="trust">
      <h2 id="trust">Who you’re dealing with</h2>
      <dl className="grid gap-8 sm:grid-cols-2 md:grid-cols-4">
        <Fact term={company ? "Who makes it" : "Who answers"}>
          {company
            ? `${product} is made by ${company}${companyAddress ? `, ${companyAddress}` : ""}. Email `
            : "A person reads every email: "}
          <SupportLink />. {replyPromise(site)}
        </Fact>
        <Fact term="What we never store">
          Card numbers and bank passwords. Stripe takes the payment
          {!features.banking_api.isOpen && ", and nothing connects to your bank today"}.
        </Fact>
        <Fact term="No trackers">
          {hasWidget
            ? "No ads, and no analytics cookies. The waitlist on this page is another company’s."
            : "No ads, no outside analytics, nothing loaded from other companies. This page sets no cookie."}{" "}
          <a href="/privacy">What we keep</a>
        </Fact>
        <Fact term="Easy to leave">
          Cancel a plan, download your data or delete your account yourself, any time.{" "}
          <a href="/terms">The terms</a>
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid gap-1 content-start">
      <dt className="font-semibold">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
