import { ButtonLink } from "../../ui/button.tsx";
import { LabelledLine } from "../../ui/labelled-line.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../../ui/private-page.tsx";
import type { Route } from "./+types/email-changed.ts";

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export default function EmailChanged() {
  return (
    <PrivatePage title="Your email address is changed">
      <LabelledLine text="EMAIL ADDRESS" label="Changed" />
      <h1>Your email address is changed</h1>
      <p>From now on you log in with the new address, and emails about your account go there.</p>
      <ButtonLink href="/account">To your account</ButtonLink>
    </PrivatePage>
  );
}
