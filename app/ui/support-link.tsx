import { useSite } from "./site.ts";

/** After "email": the support address, or, where none is set, "us" through the contact form. */
export function SupportLink() {
  const { supportEmail } = useSite();
  return supportEmail ? <a href={`mailto:${supportEmail}`}>{supportEmail}</a> : <a href="/contact">us</a>;
}
