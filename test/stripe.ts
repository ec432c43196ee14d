import { startTestSandbox as start } from "@ownwords/sandbox/testing";
import { SANDBOX_PLANS } from "../app/sandbox.server.ts";

export { openCheckout, press, withHeldList } from "@ownwords/sandbox/testing";

/** The Stripe sandbox by itself, with the plans of the specification. */
export const startTestSandbox = () => start(SANDBOX_PLANS);
