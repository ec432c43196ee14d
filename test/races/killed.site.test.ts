import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMembers } from "../../app/waitlist/members.fixture.ts";
import { postForm } from "../http.ts";
import { createOperator } from "../operator.ts";
import { openSite, type Site, settled } from "../running-site.ts";

const SIZE = 10_000;
const MOST_MEGABYTES = 300;
/** Several chunks of those that a job writes in one transaction. */
const PEOPLE = 400;

let site: Site;

beforeAll(async () => {
  site = await openSite(1);
});

afterAll(() => site.close());

async function killAndRestart(): Promise<void> {
  await site.end(0, "SIGKILL");
  // Its jobs are taken over when their claims end: now, and not after 25 seconds.
  await site.pool.query("UPDATE outbox SET run_at = now() WHERE claimed_at IS NOT NULL AND done_at IS NULL");
  await site.start(0);
}

test("ten thousand codes survive kill -9 in their middle: each is made once, and the file has them all", async () => {
  const operator = await createOperator(site.pool);
  const batch = randomUUID();
  const fields = { batch, name: "Leaflets", size: String(SIZE), maxUses: "1" };
  expect((await postForm(site, "/admin/batches/new", fields, operator.cookie)).status).toBe(303);
  await expect.poll(() => made(batch), { interval: 5 }).toBeGreaterThan(SIZE * 0.2);
  await killAndRestart();
  const left = await made(batch);
  expect(left, "it was killed before it was done").toBeLessThan(SIZE);
  await settled(site, 120);

  const file = await fetch(`${site.origin}/admin/batches/${batch}/codes.csv`, {
    headers: { cookie: operator.cookie },
  });
  const lines = (await file.text()).trimEnd().split("\r\n").slice(1);
  expect(new Set(lines.map((line) => line.split(",")[1])).size).toBe(SIZE);
  expect(lines).toHaveLength(SIZE);
  expect(await made(batch)).toBe(SIZE);
  const megabytes = mostMemoryOf(site.pidOf(0));
  console.log(`killed at ${left} of ${SIZE} codes; the process that went on took ${megabytes} MB at most`);
  expect(megabytes).toBeLessThan(MOST_MEGABYTES);
});

async function made(batch: string): Promise<number> {
  const { rows } = await site.pool.query(
    "SELECT count(*)::int AS made FROM promo_codes WHERE batch_id = $1",
    [batch],
  );
  return rows[0].made;
}

/** The most a process has had in memory so far, in megabytes (proc_pid_status(5)). */
function mostMemoryOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** The invitations that have left the outbox's writer so far. */
async function written(): Promise<number> {
  const { rows } = await site.pool.query("SELECT count(promo_code)::int AS written FROM waitlist");
  return rows[0].written;
}

test("an invitation of hundreds survives kill -9 in its middle: each is invited once, by one mail with one code", async () => {
  const operator = await createOperator(site.pool);
  const members = await createMembers(site.pool, PEOPLE, true);
  const fields = {
    count: String(PEOPLE),
    tier: "premium",
    months: "1",
    invitation: randomUUID(),
    confirm: "nothing is open",
  };
  const answer = await postForm(site, "/admin/waitlist/invite", fields, operator.cookie);
  expect(answer.status).toBe(303);
  await expect.poll(written, { interval: 5 }).toBeGreaterThan(PEOPLE * 0.4);
  await killAndRestart();
  expect(await written(), "it was killed before it was done").toBeLessThan(PEOPLE);
  await settled(site, 120);

  const { rows: mails } = await site.pool.query(
    `SELECT mail->>'to' AS to, substring(mail->>'text' FROM 'Your code: (\\S+)') AS code FROM sandbox_mail.messages
     WHERE mail->>'subject' LIKE 'It’s your turn%'`,
  );
  expect(mails.map(({ to }) => to).toSorted()).toEqual(members.map(({ email }) => email).toSorted());
  const { rows: given } = await site.pool.query("SELECT email AS to, promo_code AS code FROM waitlist");
  const codeOf = new Map(given.map(({ to, code }) => [to, code]));
  expect(mails.filter(({ to, code }) => codeOf.get(to) !== code)).toEqual([]);
  const { rows } = await site.pool.query(
    `SELECT count(*)::int AS codes, count(DISTINCT code)::int AS different FROM promo_codes
     WHERE note = 'Waitlist invitation'`,
  );
  expect(rows).toEqual([{ codes: PEOPLE, different: PEOPLE }]);
});
