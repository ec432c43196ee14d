/** What the tests of a site use to look into the sandboxes, and to start one by itself. */
export { identityEndpoints, type Provider } from "../identity/endpoints.ts";
export { ROUTES as IDENTITY_ROUTES } from "../identity/routes.ts";
export { ENDPOINTS as STRIPE_ENDPOINTS } from "../stripe/api/endpoints.ts";
export type { Knobs } from "../stripe/knobs.ts";
export { openTestMailbox, type ShownMail } from "./mailbox.ts";
export { connectStripe, openCheckout, press, setKnobs, startTestSandbox, withHeldList } from "./stripe.ts";
