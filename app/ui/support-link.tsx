import { type Site, useSite } from "./site.ts";

/** After "email": the support address, or, where none is set, "us" through the contact form. */
export function SupportLink() {
  return <SupportLinkOf {...useSite()} />;
}

/** The same where the root loader has not run, as after an action that failed. */
export function SupportLinkOf({ supportEmail }: Pick<Site, "supportEmail">) {
  return supportEmail ? <a href={`mailto:${supportEmail}`}>{supportEmail}</a> : <a href="/contact">us</a>;
}
