import type { ComponentProps } from "react";
import type { WaitlistWidget } from "../config/waitlist-widget.ts";
import { Notice } from "../ui/notice.tsx";
import { WAITLIST_OFFER } from "../ui/offer.ts";
import { StatementSheet } from "../ui/statement.tsx";
import { SupportLink } from "../ui/support-link.tsx";
import type { WaitlistMode } from "./join.server.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";
import { WaitlistForm } from "./waitlist-form.tsx";

/** Its page sets `hasWaitlist` in its handle, for the CSP. */
export function Waitlist({ mode, ...form }: { mode: WaitlistMode } & ComponentProps<typeof WaitlistForm>) {
  switch (mode.kind) {
    case "form":
      return <WaitlistForm {...form} />;
    case "widget":
      return <Widget {...mode} />;
    case "closed":
      return (
        <Notice tone="plain">
          <p className="font-semibold">The waitlist is closed right now</p>
          <p>
            You confirm your place by email, and we can’t send any at the moment. Try again later, or email{" "}
            <SupportLink />.
          </p>
        </Notice>
      );
  }
}

/** Promises an order only for our own list. @param props.isCompact beside the form of one field, which says the offer */
export function WaitlistIntro({ mode, isCompact }: { mode: WaitlistMode; isCompact?: boolean }) {
  const isOurs = mode.kind === "form";
  return (
    <p className="max-w-[34rem]">
      {(!isCompact || !isOurs) && `${WAITLIST_OFFER} `}No account needed to join.
      {isOurs && " Invite friends to move up."}
    </p>
  );
}

export function WaitlistSection({ mode, idPrefix }: { mode: WaitlistMode; idPrefix: string }) {
  return (
    <section
      id="waitlist"
      className="page band md:grid-cols-[1.05fr_1fr] md:gap-16"
      aria-labelledby="waitlist-title"
    >
      <div className="grid gap-6 content-start">
        <h2 id="waitlist-title">Join the beta waitlist</h2>
        <WaitlistIntro mode={mode} />
        {mode.kind === "form" && (
          <div className="hidden md:block">
            <PlaceStatement />
          </div>
        )}
      </div>
      <Waitlist mode={mode} idPrefix={idPrefix} />
    </section>
  );
}

/** The page's CSP allows it. Not `async`: React would move the script before the element that it fills. */
function Widget({ scriptUrl, styleUrl, id = "waitlist-widget", attributes = {} }: WaitlistWidget) {
  const { class: className, ...rest } = attributes;
  return (
    <div className="w-full">
      {styleUrl && <link rel="stylesheet" href={styleUrl} />}
      <div id={id} {...rest} className={className} />
      <script defer src={scriptUrl} />
      <noscript>
        <p>
          Another company runs this list, and it needs JavaScript. Without JavaScript, email <SupportLink />{" "}
          and ask to join.
        </p>
      </noscript>
    </div>
  );
}

const START = 12;
const STEPS = ["You confirm your email address", "A friend joins with your link", "Another friend joins"];

export function PlaceStatement() {
  return (
    <StatementSheet caption="Example: how you move up">
      {STEPS.map((step, friends) => (
        <li key={step} className="statement-line">
          <span>{step}</span>
          <span className="amount font-semibold">{`Number ${START - friends * PLACES_PER_FRIEND}`}</span>
        </li>
      ))}
    </StatementSheet>
  );
}
