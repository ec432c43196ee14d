import { ButtonLink } from "../ui/button.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import stylesheet from "./redirect-screen.css?url";

const TEXT = {
  login: { title: "Login", heading: "Redirecting to login...", button: "Continue to login" },
  register: {
    title: "Sign Up",
    heading: "Redirecting to registration...",
    button: "Continue to registration",
  },
};

/** Spec §2. At once, without a script: a delay would be a time limit for reading (WCAG 2.2.1). @param returnTo a path here */
export function RedirectScreen({ to, returnTo }: { to: "login" | "register"; returnTo: string }) {
  const { hostedAppUrl, origin } = useSite();
  const { title, heading, button } = TEXT[to];
  const url = `${hostedAppUrl}/${to}?${new URLSearchParams({ return_to: origin + returnTo })}`;
  return (
    <div className="page py-10 credentials">
      <PrivateHead title={title} />
      <link rel="stylesheet" href={stylesheet} precedence="default" />
      <meta httpEquiv="refresh" content={`0;url=${url}`} />
      <div className="redirect-spinner" aria-hidden="true" />
      <h1>{heading}</h1>
      <p>If you are not redirected, click here</p>
      <ButtonLink href={url}>{button}</ButtonLink>
    </div>
  );
}
