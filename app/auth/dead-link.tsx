import { ButtonLink } from "../ui/button.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import type { MailLinkPurpose } from "./link-messages.ts";

const ANOTHER: Record<MailLinkPurpose, { href: string; label: string; text: string }> = {
  verify_email: {
    href: "/account",
    label: "Go to your account",
    text: "If your email address isn’t confirmed yet, get a new link on your account page.",
  },
  change_email: {
    href: "/account",
    label: "Go to your account",
    text: "Your account page shows your current email address. You can change it there.",
  },
  reset_password: {
    href: "/forgot-password",
    label: "Get a new link",
    text: "If you still need a new password, get another link.",
  },
};

/** The page of a link in an email that is used up, expired or unknown. */
export function DeadLink({ purpose }: { purpose: MailLinkPurpose }) {
  const { href, label, text } = ANOTHER[purpose];
  return (
    <PrivatePage title="This link no longer works">
      <h1>This link no longer works</h1>
      <p>
        It was already used, replaced by a newer one, or has expired. If you copied it, part of it may be
        missing.
      </p>
      <p>{text}</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href={href}>{label}</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Contact us
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
