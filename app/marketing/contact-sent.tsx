import { ButtonLink } from "../ui/button.tsx";
import { LabelledLine } from "../ui/labelled-line.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";

export default function Sent() {
  const { communityUrl } = useSite();
  return (
    <PrivatePage title="Your message is with us">
      <LabelledLine text="MESSAGE TO SUPPORT" label="Received" />
      <h1>Your message is with us</h1>
      <p>A person reads it and replies to the email address you gave.</p>
      <p>
        Meanwhile, somebody in the <a href={communityUrl}>community chat</a> may know, or{" "}
        <a href="/faq">the questions others asked</a>.
      </p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href="/">Back to the start</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Write another
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
