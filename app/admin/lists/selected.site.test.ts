import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { mainOf, postForm } from "../../../test/http.ts";
import { createOperator, OPERATOR_EMAIL } from "../../../test/operator.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { get, type Person } from "../../../test/users.ts";

const server = sharedServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

/** Presses a button of a list with these rows selected. */
const press = (path: string, name: string, selected: readonly string[], cookie = operator.cookie) =>
  postForm(
    server,
    path,
    [["do", name], ...selected.map((key): [string, string] => ["selected", key])],
    cookie,
  );

async function said(answer: Response): Promise<string> {
  expect(answer.status).toBe(303);
  const location = answer.headers.get("location") ?? "";
  const page = await mainOf(await get(server, location, operator.cookie));
  return /<div role="status"><p>([^<]*)/.exec(page)?.[1] ?? `nothing at ${location}`;
}

/** What the log says of something, the oldest first. */
async function logOf(subject: string): Promise<string[]> {
  const { rows } = await server.pool.query(
    "SELECT actor || ' ' || action AS line FROM audit_log WHERE subject = $1 ORDER BY id",
    [subject],
  );
  return rows.map(({ line }) => line);
}

async function addCode(columns = "", values = ""): Promise<string> {
  const code = `LIST-${randomUUID().slice(0, 8).toUpperCase()}`;
  await server.pool.query(
    `INSERT INTO promo_codes (code, tier, duration_type${columns}) VALUES ($1, 'basic', 'forever'${values})`,
    [code],
  );
  return code;
}

const isActive = async (code: string) =>
  (await server.pool.query("SELECT active FROM promo_codes WHERE code = $1", [code])).rows[0].active;

async function addMessage(): Promise<string> {
  const id = randomUUID();
  await server.pool.query(
    `INSERT INTO contact_messages (id, name, email, topic, message, content_hash)
     VALUES ($1, 'Ada', 'ada@example.com', 'payment', 'Where is it?', $1)`,
    [id],
  );
  return id;
}

/** A job that no worker has a handler for, so that it stays as it is. */
async function addJob(columns = "", values = ""): Promise<string> {
  const { rows } = await server.pool.query(
    `INSERT INTO outbox (kind, payload${columns}) VALUES ('job_of_a_list', '{}'${values}) RETURNING id`,
  );
  return rows[0].id;
}

test("jobs are tried again, each with its line in the log; what no longer applies is counted and said", async () => {
  const failing = [await addJob(", run_at", ", now() + interval '1 hour'"), await addJob()];
  const done = await addJob(", done_at", ", now()");
  const running = await addJob(", claimed_at, run_at", ", now(), now() + interval '1 minute'");
  const answer = await press("/admin/jobs?state=failing", "retry", [
    ...[...failing, done, running, "999999999999999999", "no job"],
    // Selected twice, as by two tables of a page.
    failing[0] ?? "",
  ]);
  expect(answer.headers.get("location")).toBe(
    "/admin/jobs?state=failing&said=due-2.done-1.running-1.unknown-2",
  );
  expect(await said(answer)).toBe(
    "2 tried again, 1 being tried at this moment, 1 done already, 2 no longer there.",
  );
  for (const id of failing) expect(await logOf(`job:${id}`)).toEqual([`${OPERATOR_EMAIL} job.retried`]);
  for (const id of [done, running]) expect(await logOf(`job:${id}`)).toEqual([]);
  const { rows } = await server.pool.query("SELECT run_at <= now() AS is_due FROM outbox WHERE id = $1", [
    failing[0],
  ]);
  expect(rows).toEqual([{ is_due: true }]);
  await server.pool.query("DELETE FROM outbox WHERE kind = 'job_of_a_list'");
});

test("mails that wait are tried again as the jobs they are", async () => {
  expect(await said(await press("/admin/mail?state=failing", "retry", ["999999999999999999"]))).toBe(
    "1 no longer there.",
  );
});

test("codes are paused and resumed, those of a batch as well, once however often it is pressed at the same time", async () => {
  const codes = [await addCode(), await addCode()];
  const paused = await addCode(", active", ", false");
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => press("/admin/codes", "pause", [...codes, paused, "NOTHING"])),
  );
  const words = await Promise.all(answers.map(said));
  const counted = words.map((text) => Number(/(\d+) paused(?! already)/.exec(text)?.[1] ?? 0));
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(2);
  for (const text of words) expect(text).toMatch(/[1-3] paused already, 1 no longer there\.$/);
  for (const code of codes) {
    expect(await isActive(code)).toBe(false);
    expect(await logOf(`promo_code:${code}`)).toEqual([`${OPERATOR_EMAIL} promo_code.paused`]);
  }
  expect(await logOf(`promo_code:${paused}`)).toEqual([]);
  const again = await press("/admin/codes", "resume", [...codes, await addCode()]);
  expect(await said(again)).toBe("2 resumed, 1 not paused before.");
  expect(await isActive(codes[0] ?? "")).toBe(true);
});

test("codes are paused without the second factor being asked for again, as a single one is", async () => {
  const code = await addCode();
  const setShown = (ago: string) =>
    server.pool.query("UPDATE session SET second_factor_at = now() - $2::interval WHERE user_id = $1", [
      operator.id,
      ago,
    ]);
  await setShown("11 hours");
  expect(await said(await press("/admin/codes", "pause", [code]))).toBe("1 paused.");
  await setShown("0");
});

test("messages are marked as answered by one of two operators, and no mail is sent", async () => {
  const ids = [await addMessage(), await addMessage()];
  const answers = await Promise.all([1, 2].map(() => press("/admin/messages", "mark", [...ids, "gone"])));
  const words = (await Promise.all(answers.map(said))).join(" ");
  const sumOf = (what: string) =>
    [...words.matchAll(new RegExp(`(\\d+) ${what}`, "g"))].reduce((sum, [, count]) => sum + Number(count), 0);
  expect([sumOf("marked as answered"), sumOf("answered already"), sumOf("no longer there")]).toEqual([
    2, 2, 2,
  ]);
  for (const id of ids)
    expect(await logOf(`contact_message:${id}`)).toEqual([
      `${OPERATOR_EMAIL} contact_message.marked_answered`,
    ]);
  const { rowCount } = await server.pool.query("SELECT FROM mails WHERE recipient = 'ada@example.com'");
  expect(rowCount).toBe(0);
});

test("nothing selected changes nothing and says so", async () => {
  for (const [path, name] of [
    ["/admin/jobs", "retry"],
    ["/admin/mail", "retry"],
    ["/admin/codes", "pause"],
    ["/admin/messages", "mark"],
  ] as const)
    expect(await said(await press(path, name, []))).toBe(
      "Nothing was changed: select at least one row first.",
    );
});

test("what is none of a list's forms is refused, and more rows than a page has are, before the first is touched", async () => {
  const code = await addCode();
  const many = Array.from({ length: 50 }, (_, index) => `NOTHING-${index}`);
  for (const [name, selected] of [
    ["pause", [code, ...many]],
    ["delete", [code]],
    ["constructor", [code]],
    ["pause", [code, ""]],
    ["pause", [code, "a\u0000b"]],
    ["pause", [code, "a".repeat(255)]],
  ] as const)
    expect([name, (await press("/admin/codes", name, selected)).status]).toEqual([name, 400]);
  expect(await isActive(code)).toBe(true);
  expect(await said(await press("/admin/codes", "pause", [code, ...many.slice(1)]))).toBe(
    "1 paused, 49 no longer there.",
  );
});

test("an unknown said in the URL shows no message", async () => {
  for (const made of ["due-2.owned-1", "due-9999", "due", "constructor-1", "<b>", "due-2.", ""]) {
    const page = await mainOf(
      await get(server, `/admin/jobs?${new URLSearchParams({ said: made })}`, operator.cookie),
    );
    expect(page).toContain(made === "due" ? '<div role="status"><p>It is' : '<div role="status"></div>');
  }
});
