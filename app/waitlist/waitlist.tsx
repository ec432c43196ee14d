import type { ComponentProps } from "react";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";
import { PlaceStatement } from "./place-statement.tsx";
import { WaitlistForm } from "./waitlist-form.tsx";
import type { WaitlistOffer } from "./waitlist-mode.server.ts";

/** The waitlist's form, widget or closed notice. Pages with it set `hasWaitlist` in their handle, for the security policy. */
export function Waitlist({ offer, ...form }: { offer: WaitlistOffer } & ComponentProps<typeof WaitlistForm>) {
  switch (offer.kind) {
    case "form":
      return <WaitlistForm {...form} />;
    case "widget":
      return <Widget scriptUrl={offer.scriptUrl} styleUrl={offer.styleUrl} />;
    case "closed":
      return <Closed />;
  }
}

/** What a place is good for. Only our own list promises an order. */
export function WhatItIs({ offer }: { offer: WaitlistOffer }) {
  return (
    <p className="max-w-[34rem]">
      Accounts and plans are open to everyone; the waitlist is the free way in.{" "}
      {offer.kind === "form"
        ? "As parts open, we invite people in the order they confirmed; each friend you bring moves you up, and nothing is charged."
        : "As parts open, the people on it are invited, and nothing is charged."}
    </p>
  );
}

/** The waitlist as the last section of another page, at #waitlist. */
export function WaitlistSection({ offer, idPrefix }: { offer: WaitlistOffer; idPrefix: string }) {
  return (
    <section
      id="waitlist"
      className="page band md:grid-cols-[1.05fr_1fr] md:gap-16"
      aria-labelledby="waitlist-title"
    >
      <div className="grid gap-6 content-start">
        <h2 id="waitlist-title">
          Join the waitlist: <span className="label headline-label">Beta phase 1</span>
        </h2>
        <WhatItIs offer={offer} />
        {offer.kind === "form" && (
          <div className="hidden md:block">
            <PlaceStatement />
          </div>
        )}
      </div>
      <Waitlist offer={offer} idPrefix={idPrefix} />
    </section>
  );
}

/** A third party's list, which the page's security policy permits. */
function Widget({ scriptUrl, styleUrl }: { scriptUrl: string; styleUrl: string | null }) {
  const { supportEmail } = useSite();
  return (
    <div className="w-full">
      {styleUrl && <link rel="stylesheet" href={styleUrl} />}
      <div id="waitlist-widget" />
      <script async src={scriptUrl} />
      <noscript>
        <p>
          This list is kept by another service and needs JavaScript. Without it, write to{" "}
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a> and ask to be put on it.
        </p>
      </noscript>
    </div>
  );
}

function Closed() {
  const { supportEmail } = useSite();
  return (
    <Notice tone="plain">
      <p className="font-semibold">The list takes no new addresses at the moment</p>
      <p>
        This site cannot send emails just now, and a place is confirmed by email. Come back later, or write to{" "}
        <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
    </Notice>
  );
}
