import { ButtonLink } from "../ui/button.tsx";
import { replyPromise } from "../ui/offer.ts";
import { PrivatePage } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";

export default function Sent() {
  const site = useSite();
  return (
    <PrivatePage title="Message sent">
      <h1>Message sent</h1>
      <p>A person will read it and answer by email. {replyPromise(site)}</p>
      <p>
        Meanwhile, the <a href="/faq">FAQ</a>
        {site.communityUrl && (
          <>
            {" "}
            or the <a href={site.communityUrl}>community chat</a>
          </>
        )}{" "}
        may have your answer.
      </p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href="/">Go to the home page</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Send another message
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
