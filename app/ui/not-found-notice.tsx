import { ButtonLink } from "./button.tsx";
import { Prose } from "./prose.tsx";

export function NotFound() {
  return (
    <Prose>
      <title>Page not found</title>
      <meta name="robots" content="noindex" />
      <h1 className="text-balance">We have no page by that name</h1>
      <p>The link may have a typo, or the page has moved.</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href="/">Go to the home page</ButtonLink>
        <ButtonLink href="/contact" isQuiet>
          Contact Us
        </ButtonLink>
      </div>
    </Prose>
  );
}
