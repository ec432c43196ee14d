import { PLAN_NAMES } from "../entitlements/tiers.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import { SupportLink } from "../ui/support-link.tsx";
import { redeemLink } from "./links.ts";
import type { InvitedPlace } from "./place.server.ts";
import { freeTime, lastDayOf } from "./rules.ts";

/** The page of a place whose turn has come. */
export function Invited({ place, leaveLink }: { place: InvitedPlace; leaveLink: string }) {
  const { code, state } = place;
  return (
    <PrivatePage title="It’s your turn">
      <h1>
        It’s <span className="label headline-label">your turn</span>
      </h1>
      {!code && <OnItsWay />}
      {code && state === "good" && <GoodCode {...place} code={code} />}
      {state === "used" && <UsedCode />}
      {state === "ended" && <EndedCode />}
      <p>
        <a href={leaveLink} className="inline-flex items-center min-h-11">
          Leave the list
        </a>
      </p>
    </PrivatePage>
  );
}

function OnItsWay() {
  return (
    <p>
      We are writing to you right now, with your code. Load this page again in a minute, or open the email.
    </p>
  );
}

function GoodCode({ terms, code }: { terms: InvitedPlace["terms"]; code: string }) {
  const lastDay = lastDayOf(terms);
  return (
    <>
      <p>
        Your code gives you {freeTime(terms)} of {PLAN_NAMES[terms.tier]}: no card, and nothing to cancel. The
        free time starts when you apply it. It works once{lastDay && `, until the end of ${lastDay} (UTC)`}.
      </p>
      <div className="grid gap-1.5 w-full max-w-[27rem]">
        <p className="font-semibold">Your code</p>
        <p className="field-input font-mono select-all [overflow-wrap:anywhere]">{code}</p>
      </div>
      <ButtonLink href={redeemLink(code, { origin: "" })}>Sign up with your code</ButtonLink>
      <p>Already have an account? The button takes you to it, with the code filled in.</p>
    </>
  );
}

function UsedCode() {
  return (
    <>
      <p>Your code has been used. Your plan, and until when you have it, is on your dashboard.</p>
      <ButtonLink href="/dashboard">Go to the dashboard</ButtonLink>
    </>
  );
}

function EndedCode() {
  return (
    <p>
      Your code can no longer be used. If you would still like to join, email <SupportLink />.
    </p>
  );
}
