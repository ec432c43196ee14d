import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "../../app/db/invariants.server.ts";
import { postForm } from "../http.ts";
import { startServer, type TestServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";

const USERS = 1000;
const USES = 100;

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

test(`${USERS} users redeem a code of ${USES} uses at once: exactly ${USES} get it`, async () => {
  await addCode("RACE");
  const users = await createSignedInUsers(server.pool, USERS);

  const responses = await Promise.all(
    users.map(({ cookie }) => postForm(server, "/subscription", { form: "promo", code: "RACE" }, cookie)),
  );

  const statuses = Map.groupBy(responses, (response) => response.status);
  expect([...statuses.keys()].sort()).toEqual([200, 400]);
  expect(statuses.get(200)).toHaveLength(USES);
  expect(await outcome("RACE")).toEqual({ used_count: USES, grants: USES });
  expect(await findViolations(server.pool)).toEqual([]);
}, 120_000);

test("the same test catches a redemption that reads first and writes then", async () => {
  await addCode("NAIVE");
  const users = await createSignedInUsers(server.pool, USERS);
  const naive = createServer(async (request, response) => {
    const granted = await redeemNaively("NAIVE", String(request.headers["x-user"]));
    response.writeHead(granted ? 200 : 400).end();
  });
  await new Promise<void>((resolve) => naive.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(naive.address() as AddressInfo).port}`;

  const responses = await Promise.all(users.map(({ id }) => fetch(origin, { headers: { "x-user": id } })));
  naive.close();

  const granted = responses.filter((response) => response.status === 200).length;
  console.log(
    `naive read-then-write: ${granted} of ${USES} uses were given, ${JSON.stringify(await outcome("NAIVE"))}`,
  );
  expect(granted).toBeGreaterThan(USES);
  expect(await findViolations(server.pool)).not.toEqual([]);
  // The server that ends with this file looks once more.
  await server.pool.query("UPDATE promo_codes SET max_uses = NULL, used_count = $1 WHERE code = 'NAIVE'", [
    granted,
  ]);
}, 120_000);

/** What everybody writes first: look whether a use is left, give it, count it. */
async function redeemNaively(code: string, userId: string): Promise<boolean> {
  const { rows } = await server.pool.query("SELECT used_count, max_uses FROM promo_codes WHERE code = $1", [
    code,
  ]);
  const { used_count: usedCount, max_uses: maxUses } = rows[0];
  if (usedCount >= maxUses) return false;
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     VALUES (gen_random_uuid()::text, $1, 'basic', 'promo', $2, now() + interval '1 month')`,
    [userId, code],
  );
  await server.pool.query("UPDATE promo_codes SET used_count = $2 WHERE code = $1", [code, usedCount + 1]);
  return true;
}

async function addCode(code: string): Promise<void> {
  await server.pool.query(
    "INSERT INTO promo_codes (code, duration_type, max_uses) VALUES ($1, 'months', $2)",
    [code, USES],
  );
}

async function outcome(code: string) {
  const { rows } = await server.pool.query(
    `SELECT used_count, (SELECT count(*)::int FROM grants WHERE promo_code = code) AS grants
     FROM promo_codes WHERE code = $1`,
    [code],
  );
  return rows[0];
}
