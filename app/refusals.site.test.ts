import { afterAll, beforeAll, expect, test } from "vitest";
import { asClient, eventually, postForm } from "../test/http.ts";
import { createOperator, OPERATOR_EMAIL } from "../test/operator.ts";
import { getByRouter, postByRouter } from "../test/router.ts";
import { createAppOwner, openPending } from "../test/second-factor.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { createPerson, get, PASSWORD } from "../test/users.ts";
import { freePort } from "./db/embedded.server.ts";
import { COUNTED, MEASURED, READ, type RefusalReason } from "./telemetry/metrics.ts";

interface Line {
  level: string;
  msg: string;
  reason?: string;
  account?: string;
  network?: string;
}

let server: TestServer;
let logged = "";
let scrape: () => Promise<string>;

beforeAll(async () => {
  const port = String(await freePort());
  server = await startServer({ LOG_LEVEL: "debug", METRICS_PORT: port });
  server.child.stdout?.on("data", (chunk) => {
    logged += chunk;
  });
  scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
});

afterAll(() => server.stop());

const refusals = () =>
  logged
    .split("\n")
    .filter((line) => line.includes('"msg":"refused"'))
    .map((line): Line => JSON.parse(line));

async function counted(): Promise<Record<string, number>> {
  const found = (await scrape()).matchAll(/^refusals_total\{reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(found, ([, reason, count]) => [reason, Number(count)]));
}

/** What something adds to the counts, and the lines it writes. */
async function refusedBy(work: () => Promise<unknown>) {
  const [before, linesBefore] = [await counted(), refusals().length];
  await work();
  const after = await counted();
  const added: [string, number][] = Object.entries(after)
    .map(([reason, count]): [string, number] => [reason, count - (before[reason] ?? 0)])
    .filter(([, count]) => count > 0);
  const total = added.reduce((sum, [, count]) => sum + count, 0);
  const lines = await eventually(
    async () => (refusals().length - linesBefore >= total ? refusals().slice(linesBefore) : undefined),
    "a line for each refusal",
  );
  expect(lines).toHaveLength(total);
  for (const { level } of lines) expect(level).toBe("info");
  return { added: Object.fromEntries(added) as Partial<Record<RefusalReason, number>>, lines };
}

function readValue(text: string, series: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

const times = async (count: number, work: (at: number) => Promise<unknown>) => {
  for (let at = 0; at < count; at++) await work(at);
};

test("a scrape describes every metric, and has what the process and the database say now", async () => {
  const text = await scrape();
  for (const [name, { type }] of Object.entries({ ...COUNTED, ...MEASURED, ...READ }))
    expect(text).toContain(`# TYPE ${name} ${type}`);
  expect(text).toMatch(
    /^site_build_info\{version="\d+\.\d+\.\d+(\+[0-9a-f]{12})?",role="all",node="26\.[\d.]+"\} 1$/m,
  );
  for (const line of ["db_up 1", "site_ready 1", "db_pool_size 20", 'log_lines_total{level="error"} 0'])
    expect(text.split("\n")).toContain(line);
  for (const name of ["disk_free_bytes", "db_size_bytes", "process_resident_memory_bytes"])
    expect(readValue(text, name)).toBeGreaterThan(1_000_000);
});

test("wrong passwords are counted and written, whether to sign in or to confirm, and when there are too many", async () => {
  const { email, cookie } = await createPerson(server.pool);
  const client = asClient();
  const signIn = (password: string, who = email, from = client) =>
    postForm(server, "/login", { email: who, password }, undefined, from);
  const wrong = await refusedBy(() =>
    Promise.all(Array.from({ length: 5 }, () => signIn("not their password"))),
  );
  expect(wrong.added).toEqual({ wrong_password: 3, password_limited: 2 });
  const elsewhere = await refusedBy(async () => {
    await signIn("not their password", email.toUpperCase(), asClient());
    await signIn("not their password", "nobody@example.com", asClient());
    await postForm(server, "/account/confirm", { password: "not theirs" }, cookie);
    await postForm(server, "/account/password", { current_password: "no", password: PASSWORD }, cookie);
  });
  expect(elsewhere.added).toEqual({ wrong_password: 4 });
  const lines = [...wrong.lines, ...elsewhere.lines];
  // One account, however its address is spelt and wherever it was tried, and another; five networks.
  expect(new Set(lines.map(({ account }) => account)).size).toBe(2);
  expect(new Set(lines.map(({ network }) => network)).size).toBe(5);
  for (const { account, network } of lines)
    for (const name of [account, network]) expect(name).toMatch(/^[\w-]{16}$/);
  expect((await refusedBy(() => signIn(PASSWORD, email, asClient()))).added).toEqual({});
});

test("so are second factors", async () => {
  const { email, app } = await createAppOwner(server);
  const wrong = app.code() === "000000" ? "000001" : "000000";
  const { added, lines } = await refusedBy(async () => {
    await times(11, async () =>
      (await openPending(server, email)).post("/login/second-factor", { otp: wrong }),
    );
    const browser = await openPending(server, email);
    await browser.post("/login/second-factor", { otp: "aaaa-bbbb-cccc" });
    await browser.post("/login/second-factor", { passkey: "{}" });
  });
  const { wrong_app_code: tried = 0, second_factor_limited: held = 0, ...others } = added;
  expect(tried).toBeGreaterThanOrEqual(10);
  expect(tried + held).toBe(11);
  expect(others).toEqual({ wrong_recovery_code: 1, wrong_passkey: 1 });
  expect(new Set(lines.map(({ account }) => account)).size).toBe(1);
});

test("who gets in is written with every step: whose account it is, and by what", async () => {
  const { id, email, app } = await createAppOwner(server);
  const browser = await openPending(server, email);
  await browser.post("/login/second-factor", { otp: app.code() });
  const steps = await eventually(async () => {
    const lines = logged.split("\n").filter((line) => line.includes(id) && line.includes('"by"'));
    return lines.length > 1 ? lines.map((line) => JSON.parse(line)) : undefined;
  }, "a line for each step");
  expect(steps.map(({ msg, by, actor }) => [msg, by, actor])).toEqual([
    ["first factor shown", "credential", id],
    ["signed in", "app", id],
  ]);
});

test("so are promo codes, redeemed or only checked, by a document or by the router, signed in or not", async () => {
  const { cookie } = await createPerson(server.pool);
  const ways = [
    () => postForm(server, "/subscription", { form: "promo", code: "GUESS1" }, cookie),
    () => postForm(server, "/subscription", { form: "promo", code: "GUESS2", intent: "check" }, cookie),
    () => postForm(server, "/test-promo", { form: "promo", code: "GUESS3" }, cookie),
    () => postByRouter(server, "/subscription", { form: "promo", code: "GUESS4" }, cookie),
    () => postByRouter(server, "/test-promo", { form: "promo", code: "GUESS9", intent: "check" }, cookie),
    () => getByRouter(server, "/promo/check?code=GUESS10", "promo/check", cookie),
    () => get(server, "/promo/check?code=GUESS5", cookie),
    () => get(server, "/promo/check?code=GUESS6"),
    () => get(server, "/pricing?promo=GUESS7"),
    () => get(server, "/subscription?promo=GUESS8", cookie),
  ];
  for (const way of ways) {
    const { added } = await refusedBy(way);
    expect(added, String(way)).toEqual({ wrong_promo_code: 1 });
  }
  const client = asClient();
  const check = (at: number) => fetch(`${server.origin}/promo/check?code=MORE${at}`, { headers: client });
  const { added, lines } = await refusedBy(() => times(33, check));
  expect(added).toEqual({ wrong_promo_code: 30, promo_code_limited: 3 });
  expect(new Set(lines.map(({ network }) => network)).size).toBe(1);
  expect((await refusedBy(() => get(server, "/promo/check?code=WELCOME"))).added).toEqual({});
});

test("so is each request for the console by a user who is no operator, once", async () => {
  const { cookie } = await createPerson(server.pool);
  const asked = ["/admin", "/admin/people/1", "/admin/people.csv", "/admin/log"];
  const { added, lines } = await refusedBy(async () => {
    for (const path of asked) await get(server, path, cookie);
    await postForm(server, "/admin/people/1/give", { tier: "premium" }, cookie);
    await get(server, "/admin");
  });
  expect(added).toEqual({ not_an_operator: 6 });
  expect(lines.filter(({ account }) => account)).toHaveLength(5);
  const operator = await createOperator(server.pool);
  expect((await refusedBy(() => get(server, "/admin", operator.cookie))).added).toEqual({});
});

test("no line says whose account or which network it was", () => {
  expect(refusals().length).toBeGreaterThan(50);
  expect(logged).not.toMatch(/@example\.com|2001:db8|127\.0\.0\.1(?!:\d)/);
  expect(logged).not.toContain(OPERATOR_EMAIL);
  expect(logged).not.toContain("GUESS");
});
