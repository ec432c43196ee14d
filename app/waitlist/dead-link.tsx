import { ButtonLink } from "../ui/button.tsx";
import { LabelledLine } from "../ui/labelled-line.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import type { PlaceState } from "./confirm.server.ts";
import { DAYS_TO_CONFIRM } from "./rules.ts";

/** The status for a link without a place behind it. */
export function deadLinkStatus(state: PlaceState): 404 | 410 {
  return state === "expired" ? 410 : 404;
}

/** The page of a link without a place behind it. */
export function DeadLink() {
  return (
    <PrivatePage title="No place behind this link">
      <LabelledLine text="WAITLIST PLACE" label="Nobody’s" />
      <h1>There is no place behind this link</h1>
      <p>
        A place that is not confirmed within {DAYS_TO_CONFIRM} days is deleted, and so is one whose owner
        left. If you copied the link, part of it may be missing.
      </p>
      <p>Join again and you get a new link. It takes your address and one press of a button.</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Tell us about it
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
