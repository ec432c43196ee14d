import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMembers } from "../../app/waitlist/members.fixture.ts";
import { postForm } from "../http.ts";
import { createOperator } from "../operator.ts";
import { openSite, type Site, settled } from "../running-site.ts";

/** Several chunks of those that a job writes in one transaction. */
const PEOPLE = 400;

let site: Site;

beforeAll(async () => {
  site = await openSite(1);
});

afterAll(() => site.close());

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
  process.kill(site.pidOf(0), "SIGKILL");
  // Its jobs are taken over when their claims end: now, and not after 25 seconds.
  await site.pool.query("UPDATE outbox SET run_at = now() WHERE claimed_at IS NOT NULL AND done_at IS NULL");
  await site.killAndRestart(0);
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
