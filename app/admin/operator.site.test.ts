import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { appEntrances, routeFiles } from "../../test/entrances.ts";
import { postForm } from "../../test/http.ts";
import { createOperator, OPERATOR_EMAIL } from "../../test/operator.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createPerson, get, postAs } from "../../test/users.ts";
import { hashSecret } from "../http/secret-token.server.ts";
import routes from "../routes.ts";

const SECOND = "second@ownwords.example";
const server = setupServer({ ADMIN_EMAILS: `${OPERATOR_EMAIL},${SECOND}` });

test("a confirmed operator is offered no plan anywhere in the account", async () => {
  const { cookie } = await createOperator(server.pool);
  const sent = await get(server, "/subscription", cookie);
  expect([sent.status, sent.headers.get("location")]).toEqual([302, "/dashboard"]);
  for (const path of ["/dashboard", "/account", "/verify-email/done?return_to=/subscription"]) {
    const page = await (await get(server, path, cookie)).text();
    expect(page, path).not.toMatch(/Subscribe Now|Please subscribe|Choose a plan|href="\/subscription/);
  }
  const page = await (await get(server, "/dashboard", cookie)).text();
  expect(page).toContain("This is an admin account. Admins don’t need a plan.");
});

/** What differs from one request to the next. */
const withoutIds = (text: string) => text.replaceAll(/nonce="[^"]*"|[0-9a-f-]{32,36}/g, "");

test("for all other users the console and its files do not exist", async () => {
  const person = await createPerson(server.pool);
  const files = appEntrances().flatMap(({ method, path }) =>
    method === "GET" && /^\/admin\/.*(\.csv|\/html|\/export)$/.test(path) ? [path] : [],
  );
  expect(files.length).toBeGreaterThan(4);
  const paths = ["/admin", ...files];
  for (const cookie of [undefined, person.cookie]) {
    const nowhere = await get(server, "/admin/nothing-here", cookie);
    const expected = withoutIds(await nowhere.text());
    for (const path of paths) {
      const answer = await get(server, path, cookie);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        404,
        nowhere.headers.get("content-type"),
      ]);
      expect(withoutIds(await answer.text())).toBe(expected);
      const head = await fetch(server.origin + path, { method: "HEAD" });
      expect([head.status, head.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    }
  }
});

/** Every list of the console as a file, of whatever code, batch or invitation. */
const FILES = routeFiles(routes)
  .map(({ path }) => path.replaceAll(/:\w+/g, "11111111-1111-4111-8111-111111111111"))
  .filter((path) => /^\/admin\/.*\.csv$/.test(path));

test("eleven minutes after the second factor, what hands out, gives, takes or ends asks for it again, and then works", async () => {
  const operator = await createOperator(server.pool);
  const person = await createPerson(server.pool);
  const page = `/admin/people/${person.id}`;
  await server.pool.query("INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, $2)", [
    operator.id,
    hashSecret("0000000000000000"),
  ]);
  expect((await get(server, "/admin/people.csv", operator.cookie)).status).toBe(200);
  await server.pool.query(
    "UPDATE session SET second_factor_at = now() - interval '11 minutes' WHERE user_id = $1",
    [operator.id],
  );

  const asksFor = async (answer: Promise<Response>) => {
    const { status, headers } = await answer;
    const to = new URL(headers.get("location") ?? "/nowhere", server.origin);
    return [status, to.pathname, to.searchParams.get("return_to")];
  };
  const asked = (returnTo: string | null) => [303, "/account/confirm/second-factor", returnTo];
  expect(FILES.length).toBeGreaterThan(9);
  for (const path of FILES) {
    const [status, to, returnTo] = await asksFor(get(server, path, operator.cookie));
    expect([path, status, to]).toEqual([path, ...asked(null).slice(0, 2)]);
    expect(returnTo).not.toContain(".csv");
  }
  const list = get(server, "/admin/people.csv?tier=premium", operator.cookie);
  expect(await asksFor(list)).toEqual(asked("/admin/people?tier=premium"));
  const forms: [path: string, fields: Record<string, string>, back: string][] = [
    [`${page}/export`, {}, page],
    [`${page}/delete`, { email: person.email, reason: "Asked" }, `${page}/delete`],
    [`${page}/give`, { tier: "basic", months: "1", reason: "A gift", grant: randomUUID() }, `${page}/give`],
    [`${page}/money`, { do: "credit", amount: "5", seen: "0", reason: "A gift" }, `${page}/money`],
    [page, { do: "remove_factor", reason: "Known by voice" }, page],
    [page, { do: "revoke", grant: "x", reason: "A mistake" }, page],
    ["/admin/new-code", { code: "GIFT", tier: "basic", months: "1", maxUses: "1" }, "/admin/new-code"],
    ["/admin/batches/new", {}, "/admin/batches/new"],
    ["/admin/waitlist/invite", {}, "/admin/waitlist/invite"],
  ];
  for (const [path, fields, back] of forms)
    expect(await asksFor(postForm(server, path, fields, operator.cookie))).toEqual(asked(back));
  for (const path of ["/admin", "/admin/people", page])
    expect((await get(server, path, operator.cookie)).status).toBe(200);

  const step = "/account/confirm/second-factor?return_to=/admin/people";
  const shown = await postAs(server, operator, step, { otp: "0000-0000-0000-0000" });
  expect([shown.status, shown.headers.get("location")]).toEqual([303, "/admin/people"]);
  const file = await get(server, "/admin/people.csv", operator.cookie);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
});

test("no operator can remove the second factor of another", async () => {
  const operator = await createOperator(server.pool);
  const other = await createPerson(server.pool);
  await server.pool.query(`UPDATE "user" SET email = $2, email_verified = true WHERE id = $1`, [
    other.id,
    SECOND,
  ]);
  await server.pool.query("INSERT INTO passkeys (id, user_id, name, public_key) VALUES ($1, $1, 'Key', '')", [
    other.id,
  ]);
  await server.pool.query("UPDATE session SET second_factor_at = now() WHERE user_id = $1", [other.id]);
  const fields = { do: "remove_factor", reason: "Known by voice" };
  const refused = await postForm(server, `/admin/people/${other.id}`, fields, operator.cookie);
  expect([refused.status, await refused.text()]).toEqual([
    409,
    expect.stringContaining("npm run ops -- person remove-second-factor"),
  ]);
  const { rowCount } = await server.pool.query("SELECT FROM passkeys WHERE user_id = $1", [other.id]);
  expect(rowCount).toBe(1);
});
