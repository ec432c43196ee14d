import { expect, test } from "vitest";
import { setupServer } from "../server.fixture.ts";
import { describeInput, openWorstRequests } from "../worst-requests.ts";

/** How many are on their way at once. */
const AT_ONCE = 4;
/** Each entrance is sent every sixth input, the next entrance the ones after: `npm run soak -- malformed` sends all to each. */
const SHARES = 6;

const server = setupServer({ LOG_LEVEL: "silent" });

// How long others are kept waiting meanwhile is measured by `npm run soak -- malformed`.
test("whatever a route takes, within its limits or beyond them, it is answered, and never by an error of ours", async () => {
  const { requests, send } = await openWorstRequests(server);
  const inputs = requests
    .flatMap(({ inputs }, entrance) => inputs.filter((_, at) => (at + entrance) % SHARES === 0))
    .values();
  const faults: string[] = [];
  const sendAll = async () => {
    for (const input of inputs) {
      const status = await send(input);
      // 501: the Stripe sandbox says so of a parameter that only Stripe itself has.
      if (status >= 500 && status !== 501) faults.push(`${status} for ${describeInput(input)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
  expect(faults).toEqual([]);
  expect(server.child.exitCode).toBeNull();
});
