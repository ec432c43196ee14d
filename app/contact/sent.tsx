import { useSite } from "../site.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Prose } from "../ui/prose.tsx";

export default function Sent() {
  const { product, communityUrl } = useSite();
  return (
    <Prose>
      <title>{`Your message is with us · ${product}`}</title>
      <meta name="robots" content="noindex" />
      <p className="font-mono text-quiet">
        MESSAGE TO SUPPORT <span className="label font-sans font-semibold ml-3">Received</span>
      </p>
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
    </Prose>
  );
}
