import { refundTerms, useFeatures } from "../../entitlements/features.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { formatMoney, type Price } from "../plans.ts";
import type { ChangeOption, ChangeReview } from "./change-review.server.ts";

/** The plan somebody has. */
export interface Present {
  name: string;
  price: Price;
  /** Its paid period's end. */
  endsAt: Date;
}

/** The other plans and periods, with what each costs more or less, and from when on. */
export function ChangeOptions({ present, options }: { present: Present; options: ChangeOption[] }) {
  return (
    <>
      <p>{`You have ${present.name}, ${perInterval(present.price)}.`}</p>
      {options.length === 0 && <p>There is no other plan to change to at the moment.</p>}
      <dl className="w-full">
        {options.map(({ price, planName, happens }) => (
          <div key={price.id} className="account-line">
            <dt>
              {planName}, {price.interval === "year" ? "yearly" : "monthly"}
            </dt>
            <dd>
              <div>
                <strong className="amount">{perInterval(price)}</strong> ({difference(present.price, price)})
              </div>
              <div className="text-quiet">
                {happens === "now" ? (
                  "Starts right away"
                ) : (
                  <>
                    Starts on <FormattedEnd instant={present.endsAt} />
                  </>
                )}
              </div>
            </dd>
            <dd>
              <PageLink
                href={`/subscription/change?${new URLSearchParams({ price: price.id })}`}
                className="inline-flex items-center min-h-11"
              >
                Review
                <span className="sr-only">
                  {` ${planName}, ${price.interval === "year" ? "yearly" : "monthly"}`}
                </span>
              </PageLink>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** What a change costs today and later, and the button that makes it. */
export function ChangeReviewed({ present, review }: { present: Present; review: ChangeReview }) {
  const { price, planName, happens, due, nextAt, startsAt, terms } = review;
  const features = useFeatures();
  const isNow = happens === "now";
  const paid = formatMoney(Math.max(due, 0), price.currency);
  return (
    <>
      <dl className="grid w-full">
        <Fact name="Now">{`${present.name}, ${perInterval(present.price)}`}</Fact>
        <Fact name="Then">{`${planName}, ${perInterval(price)}`}</Fact>
        <Fact name="Starts">{isNow ? "Right away" : <FormattedEnd instant={startsAt} />}</Fact>
        <Fact name="You pay today">
          {due > 0 ? paid : "Nothing"}
          {isNow && due > 0 && ` (what is left of ${present.name} is taken off)`}
          {due < 0 && ` (${formatMoney(-due, price.currency)} is credited to your next payments)`}
        </Fact>
        <Fact name="Next payment">
          {formatMoney(price.unitAmount, price.currency)} on <FormattedEnd instant={nextAt} />
        </Fact>
      </dl>
      {!isNow && <p>You keep {present.name} until then, and can undo this on your dashboard.</p>}
      <PostForm className="grid gap-3 justify-items-start">
        <input type="hidden" name="price" value={price.id} />
        <input type="hidden" name="at" value={Math.floor(startsAt.getTime() / 1000)} />
        <input type="hidden" name="due" value={due} />
        <SubmitButton pendingLabel="Changing…">
          {due > 0 ? `Pay ${paid} and change` : `Change to ${planName}`}
        </SubmitButton>
        <p className="text-[0.9375rem]">{terms}</p>
        <p className="text-quiet text-[0.9375rem]">{refundTerms(review.tier, features)}</p>
      </PostForm>
    </>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="fact">
      <dt className="text-quiet">{name}</dt>
      <dd className="amount whitespace-normal">{children}</dd>
    </div>
  );
}

function perInterval({ unitAmount, currency, interval }: Price): string {
  return `${formatMoney(unitAmount, currency)} a ${interval}`;
}

/** "$20.00 more", of prices for the same period; otherwise what the present one is. */
function difference(from: Price, to: Price): string {
  if (from.interval !== to.interval) return `instead of ${perInterval(from)}`;
  const more = to.unitAmount - from.unitAmount;
  if (more === 0) return "the same";
  return `${formatMoney(Math.abs(more), to.currency)} ${more > 0 ? "more" : "less"}`;
}
