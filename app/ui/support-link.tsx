import { type Site, useSite } from "./site.ts";

/** After "email": the support address, or "us" with a link to the contact form. */
export function SupportLink() {
  return <SupportLinkOf {...useSite()} />;
}

/** Without the root loader, as after a failed action. */
export function SupportLinkOf({ supportEmail }: Pick<Site, "supportEmail">) {
  return supportEmail ? <a href={`mailto:${supportEmail}`}>{supportEmail}</a> : <a href="/contact">us</a>;
}
