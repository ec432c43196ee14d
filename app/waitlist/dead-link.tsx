import { ButtonLink } from "../ui/button.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import type { PlaceState } from "./confirm.server.ts";
import { DAYS_TO_CONFIRM } from "./rules.ts";

export function deadLinkStatus(state: PlaceState): 404 | 410 {
  return state === "expired" ? 410 : 404;
}

export function DeadLink() {
  return (
    <PrivatePage title="Link no longer works">
      <h1 className="text-balance">This waitlist link no longer works</h1>
      <p>
        We delete a place if it isn’t confirmed within {DAYS_TO_CONFIRM} days, or when you leave the list. If
        you copied the link, check that you have all of it.
      </p>
      <p>Join again to get a new link. You only need your email address.</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Contact Us
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
