import { ButtonLink } from "../ui/button.tsx";
import { Prose } from "../ui/prose.tsx";
import { useSite } from "../ui/site.ts";
import stylesheet from "./redirect-screen.css?url";

const WORDS = {
  login: { heading: "Redirecting to login...", button: "Go to login" },
  register: { heading: "Redirecting to registration...", button: "Go to registration" },
};

/**
 * Where /login and /register lead when people sign in at the hosted app (spec §2, Redirect screens). The page goes on
 * by itself and at once, without a script: a delay would take the time to read from whoever needs more (WCAG 2.2.1),
 * and it stays in view for as long as the hosted app takes to answer.
 *
 * @param returnTo a path on this site, which the hosted app gets as a whole address
 */
export function RedirectScreen({ to, returnTo }: { to: "login" | "register"; returnTo: string }) {
  const { hostedAppUrl, origin } = useSite();
  const { heading, button } = WORDS[to];
  const url = `${hostedAppUrl}/${to}?${new URLSearchParams({ return_to: origin + returnTo })}`;
  return (
    <Prose>
      <link rel="stylesheet" href={stylesheet} precedence="default" />
      <meta httpEquiv="refresh" content={`0;url=${url}`} />
      <div className="redirect-spinner" aria-hidden="true" />
      <h1>{heading}</h1>
      <p>
        {/* biome-ignore lint/a11y/noAmbiguousAnchorText: the spec's words (§2); the button below says where it leads */}
        If you are not redirected, <a href={url}>click here</a>
      </p>
      <ButtonLink href={url}>{button}</ButtonLink>
    </Prose>
  );
}
