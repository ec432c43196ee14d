import { afterAll, beforeAll, expect, test } from "vitest";
import { openPayer } from "../../test/plan-states.ts";
import { startRecordedServer } from "../../test/recorded-server.ts";
import { createPerson, signInAgain } from "../../test/users.ts";

/** The statement that looks up the session, and at most four more. */
const MOST_QUERIES = 5;

let server: Awaited<ReturnType<typeof startRecordedServer>>;
beforeAll(async () => {
  server = await startRecordedServer();
});
afterAll(() => server.stop());

test("the pages people open most ask the database five times at most, and show no other user's data", async () => {
  const payer = await openPayer(server);
  const other = await createPerson(server.pool);
  await signInAgain(server, other.email);
  for (const { cookie } of [payer, other]) {
    for (const path of ["/dashboard", "/subscription", "/account"]) {
      const queries = await server.queriesOf(path, cookie);
      expect(queries.length).toBeGreaterThan(0);
      expect(queries.length, [path, ...queries].join("\n")).toBeLessThanOrEqual(MOST_QUERIES);
    }
  }
  const page = async (path: string, { cookie }: { cookie: string }) =>
    (await fetch(server.origin + path, { headers: { cookie } })).text();
  expect(await page("/dashboard", payer)).toContain("CSV + Banking");
  expect(await page("/dashboard", other)).toContain("No active subscription found");
  expect(await page("/account", payer)).toContain("This device only");
  expect(await page("/account", other)).toContain("2 devices");
});
