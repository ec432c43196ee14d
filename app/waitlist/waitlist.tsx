import type { ComponentProps } from "react";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";
import { PlaceStatement } from "./place-statement.tsx";
import { WaitlistForm } from "./waitlist-form.tsx";
import type { WaitlistMode } from "./waitlist-mode.ts";

/** The form, widget or notice of the waitlist. Its page sets `hasWaitlist` in its handle, for the CSP. */
export function Waitlist({ mode, ...form }: { mode: WaitlistMode } & ComponentProps<typeof WaitlistForm>) {
  switch (mode.kind) {
    case "form":
      return <WaitlistForm {...form} />;
    case "widget":
      return <Widget scriptUrl={mode.scriptUrl} styleUrl={mode.styleUrl} />;
    case "closed":
      return <Closed />;
  }
}

/** What a place on the list is for. Promises an order only for our own list. */
export function WaitlistIntro({ mode }: { mode: WaitlistMode }) {
  return (
    <p className="max-w-[34rem]">
      Accounts and plans are open to everyone; the waitlist is the free way in.{" "}
      {mode.kind === "form"
        ? "As parts open, we invite people in the order they confirmed; each friend you bring moves you up, and nothing is charged."
        : "As parts open, the people on it are invited, and nothing is charged."}
    </p>
  );
}

/** The waitlist as the last section of another page, linked to as #waitlist. */
export function WaitlistSection({ mode, idPrefix }: { mode: WaitlistMode; idPrefix: string }) {
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

/** A third party's widget; the page's CSP allows it. */
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
