import { redirect } from "react-router";

/** Leads to the page that changes a password, by way of signing in (https://w3c.github.io/webappsec-change-password-url/). */
export function loader() {
  return redirect("/account/password", 303);
}
