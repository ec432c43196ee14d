import { ButtonLink } from "./button.tsx";
import { LabelledLine } from "./labelled-line.tsx";
import { Prose } from "./prose.tsx";

/** The content of a 404 page. */
export function NotFound() {
  return (
    <Prose>
      <title>Page not found</title>
      <meta name="robots" content="noindex" />
      <LabelledLine text="PAGE NOT FOUND 404" label="No such place" />
      <h1>We have no page by that name</h1>
      <p>The address may be mistyped, or the page has moved. Nothing is wrong with your account.</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href="/">Back to the start</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Tell us about it
        </ButtonLink>
      </div>
    </Prose>
  );
}
