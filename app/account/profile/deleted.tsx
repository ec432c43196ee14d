import { ButtonLink } from "../../ui/button.tsx";
import { LabelledLine } from "../../ui/labelled-line.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";

export default function Deleted() {
  return (
    <PrivatePage title="Your account is deleted">
      <LabelledLine text="ACCOUNT" label="Deleted" />
      <h1>Your account is deleted</h1>
      <p>
        You are signed out everywhere, and nothing more is charged. We send one last mail that says so, in
        case it was not you.
      </p>
      <ButtonLink href="/">Back to the start</ButtonLink>
    </PrivatePage>
  );
}
