import type { MailLinkPurpose } from "../auth/mail-link-purposes.ts";
import { ButtonLink } from "../ui/button.tsx";
import { LabelledLine } from "../ui/labelled-line.tsx";
import { PrivatePage } from "../ui/private-page.tsx";

/** Where to get a new link of each kind. */
const ANOTHER: Record<MailLinkPurpose, { href: string; label: string; text: string }> = {
  verify_email: {
    href: "/account",
    label: "Go to your account",
    text: "If your address is not confirmed yet, your account page sends you a new link.",
  },
  change_email: {
    href: "/account",
    label: "Go to your account",
    text: "Your account page says which address is yours now, and changes it again.",
  },
  reset_password: {
    href: "/forgot-password",
    label: "Send me a new link",
    text: "If you have not chosen a new password yet, have another link sent.",
  },
};

/** The page of a link in an email that is used up, expired or unknown. */
export function DeadLink({ purpose }: { purpose: MailLinkPurpose }) {
  const { href, label, text } = ANOTHER[purpose];
  return (
    <PrivatePage title="This link does not work any more">
      <LabelledLine text="LINK IN AN EMAIL" label="Not valid" />
      <h1>This link does not work any more</h1>
      <p>
        It was used already, a newer one was used instead, or its time is over. If you copied it, part of it
        may be missing.
      </p>
      <p>{text}</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href={href}>{label}</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Tell us about it
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
