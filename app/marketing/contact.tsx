import { useSite } from "../site.ts";
import { Prose } from "../ui/prose.tsx";
import type { Route } from "./+types/contact.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/contact");

export default function Contact() {
  const { supportEmail, communityUrl } = useSite();
  return (
    <Prose>
      <h1>Contact Us</h1>
      <p>
        Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>, or ask in our{" "}
        <a href={communityUrl}>community chat on Discord</a>. A person answers.
      </p>
    </Prose>
  );
}
