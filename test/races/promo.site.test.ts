import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { findViolations } from "../../app/db/invariants.server.ts";
import { textOf } from "../head.ts";
import { mainOf, postForm } from "../http.ts";
import { waitForLocks } from "../locks.ts";
import { setupServer } from "../server.fixture.ts";
import { createSignedInUser, createSignedInUsers } from "../users.ts";

// `npm run soak -- redeem` has thousands.
const USERS = 150;
const USES = 50;

// A thousand at once wait longer for their turn on a busy machine than anybody should elsewhere.
const server = setupServer({ DATABASE_TIMEOUT_SECONDS: "60" });

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
});

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
});

test("redeeming while the account is deleted answers 401, or leads to signing in at once", async () => {
  await addCode("LATE");
  for (const [path, isRenewed] of [
    ["/subscription", false],
    ["/test-promo", false],
    ["/subscription", true],
  ] as const) {
    const user = await createSignedInUser(server.pool);
    if (isRenewed)
      await server.pool.query(
        "UPDATE session SET updated_at = now() - interval '1 hour' WHERE user_id = $1",
        [user.id],
      );
    const deletion = await server.pool.connect();
    await deletion.query("BEGIN");
    await deletion.query(`DELETE FROM "user" WHERE id = $1`, [user.id]);
    const redemption = postForm(server, path, { form: "promo", code: "late" }, user.cookie);
    await waitForLocks(server.pool);
    await deletion.query("COMMIT");
    deletion.release();
    const answer = await redemption;
    const login = `/login?return_to=${encodeURIComponent(`${path}?promo=late`)}`;
    if (isRenewed) {
      // The session is gone before anybody looks at the code.
      expect([answer.status, answer.headers.get("location")]).toEqual([303, `${login}&reason=promo`]);
      continue;
    }
    expect(answer.status).toBe(401);
    const page = await mainOf(answer);
    expect(page).toContain("User must be logged in to apply a promo code");
    expect(page).toContain(`href="${login}&amp;reason=promo"`);
  }
  expect(await outcome("LATE")).toEqual({ used_count: 0, grants: 0 });
});

test("without JavaScript a lower code is asked about, and one that adds nothing is left unused", async () => {
  const { cookie } = await createSignedInUser(server.pool);
  await addCode("LONGER");
  await server.pool.query("UPDATE promo_codes SET tier = 'basic', duration_months = 6 WHERE code = 'LONGER'");
  const send = (fields: Record<string, string>) =>
    postForm(server, "/subscription", { form: "promo", ...fields }, cookie);
  expect((await send({ code: "PREMIUM3" })).status).toBe(200);

  const uses = async () => (await outcome("WELCOME")).used_count;
  const before = await uses();
  const nothing = await send({ code: "welcome", tier: "premium" });
  expect(nothing.status).toBe(409);
  const text = textOf(await nothing.text());
  expect(text).toMatch(/WELCOME wasn’t applied\.\s+You already have CSV \+ Banking until/);
  expect(text).toMatch(/so it would add\s+nothing\./);
  expect(text).not.toContain("Apply it anyway");
  expect(await uses()).toBe(before);

  const asked = await send({ code: "longer" });
  expect(asked.status).toBe(409);
  const page = await mainOf(asked);
  expect(textOf(page)).toMatch(/LONGER wasn’t applied\.\s+You have CSV \+ Banking until/);
  expect(page).toMatch(/<input[^>]*name="code"[^>]*value="longer"/);
  expect(await outcome("LONGER")).toEqual({ used_count: 0, grants: 0 });
  const [, form = ""] = /<form[^>]*>((?:(?!<form).)*Apply it anyway.*?)<\/form>/s.exec(page) ?? [];
  const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  const confirmed = await send(Object.fromEntries(fields));
  expect(confirmed.status).toBe(200);
  expect(textOf(await confirmed.text())).toMatch(/Promo code applied\.\s+LONGER gives you CSV Only until/);
  expect(await outcome("LONGER")).toEqual({ used_count: 1, grants: 1 });
});

/** The naive version: look whether a use is left, give it, count it. */
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
