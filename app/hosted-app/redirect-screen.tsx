import { ButtonLink } from "../ui/button.tsx";
import { Prose } from "../ui/prose.tsx";
import { useSite } from "../ui/site.ts";
import stylesheet from "./redirect-screen.css?url";

const TEXT = {
  login: { heading: "Redirecting to login...", button: "Go to login" },
  register: { heading: "Redirecting to registration...", button: "Go to registration" },
};

/**
 * Replaces /login and /register when users sign in at the hosted app (spec §2, Redirect screens). The page redirects at
 * once, without a script: a delay would be a time limit for reading (WCAG 2.2.1), and the screen stays visible until
 * the hosted app responds.
 *
 * @param returnTo a path on this site; the hosted app receives it as an absolute URL
 */
export function RedirectScreen({ to, returnTo }: { to: "login" | "register"; returnTo: string }) {
  const { hostedAppUrl, origin } = useSite();
  const { heading, button } = TEXT[to];
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
