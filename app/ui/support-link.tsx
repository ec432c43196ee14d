import { type Site, useSite } from "./site.ts";

/** After "email": the support address, or, where none is set, "us" through the contact form. */
export function SupportLink() {
  return <SupportLinkOf {...useSite()} />;
}

/** The same without the root loader, as after a failed action. */
export function SupportLinkOf({ supportEmail }: Pick<Site, "supportEmail">) {
  return supportEmail ? <a href={`mailto:${supportEmail}`}>{supportEmail}</a> : <a href="/contact">us</a>;
}
