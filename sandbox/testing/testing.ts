/** What a site's tests need to inspect the sandboxes, or to start a single one. */
export { identityEndpoints, type Provider, ROUTES as IDENTITY_ROUTES } from "../identity/identity.ts";
export { ENDPOINTS as STRIPE_ENDPOINTS } from "../stripe/api/endpoints.ts";
export type { Knobs } from "../stripe/faults.ts";
export { openTestMailbox, type ShownMail } from "./mailbox.ts";
export { connectStripe, openCheckout, press, setKnobs, startTestSandbox, withHeldList } from "./stripe.ts";
