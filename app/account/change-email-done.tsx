import { ButtonLink } from "../ui/button.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import type { Route } from "./+types/change-email-done.ts";

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export default function EmailChanged() {
  return (
    <PrivatePage title="Email address changed">
      <h1>Email address changed</h1>
      <p>From now on, log in with the new one. We’ll send emails about your account there too.</p>
      <ButtonLink href="/account">Go to your account</ButtonLink>
    </PrivatePage>
  );
}
