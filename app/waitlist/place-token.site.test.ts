import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { mainOf, postForm } from "../../test/http.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { createReferralCode } from "./join.server.ts";
import { createMembers } from "./members.fixture.ts";
import { placeToken } from "./place-token.server.ts";

const server = sharedServer();

const join = (email: string) => postForm(server, "/waitlist", { email });

const tokenIn = (link: string) => new URL(link, server.origin).searchParams.get("token") ?? "";

async function rowOf(email: string) {
  const { rows } = await server.pool.query("SELECT * FROM waitlist WHERE email = $1", [email]);
  return rows[0];
}

/** A place as the version before wrote it. */
async function createOldMember() {
  const member = { id: randomUUID(), email: `${randomUUID()}@example.com`, token: createSecretToken() };
  await server.pool.query(
    `INSERT INTO waitlist (id, email, token, referral_code, confirm_by) VALUES ($1, $2, $3, $4, now() + interval '7 days')`,
    [member.id, member.email, member.token, createReferralCode()],
  );
  return member;
}

/** What a token opens: the statuses of the pages, and whether the presses confirm or delete anything. */
async function tryToken(token: string) {
  const query = `?token=${encodeURIComponent(token)}`;
  const statuses: number[] = [];
  const before = await everything();
  for (const page of ["place", "confirm", "leave"]) {
    const shown = await fetch(`${server.origin}/waitlist/${page}${query}`, { redirect: "manual" });
    statuses.push(shown.status);
    expect((await shown.text()).includes("Leave the waitlist?"), `${token} on ${page}`).toBe(false);
  }
  for (const page of ["confirm", "leave"])
    statuses.push((await postForm(server, `/waitlist/${page}${query}`, {})).status);
  expect(await everything(), `${token} changes nothing`).toEqual(before);
  return statuses;
}

const everything = async () => (await server.pool.query("SELECT * FROM waitlist ORDER BY id")).rows;

test("nothing that the database has of a place opens it: only the link in its mails does", async () => {
  const email = `${randomUUID()}@example.com`;
  await join(email);
  const confirm = linkIn(await mailTo(server, email, /^Confirm your place/), "/waitlist/confirm");
  expect((await postForm(server, confirm, {})).status).toBe(303);
  const place = linkIn(await mailTo(server, email, /^You’re on/), "/waitlist/place");
  const row = await rowOf(email);
  for (const value of Object.values(row).filter((value) => value !== null)) {
    const [onPlace, onConfirm] = await tryToken(value instanceof Date ? value.toISOString() : String(value));
    expect([value, onPlace, onConfirm]).toEqual([value, 404, 404]);
  }

  // Nor does anything else that is kept, but for the text of mails.
  const { rows: tables } = await server.pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'outbox'`,
  );
  const secret = tokenIn(place).slice(37);
  expect(secret).toHaveLength(43);
  for (const { name } of tables) {
    const { rowCount } = await server.pool.query(
      `SELECT FROM ${name} AS kept WHERE position($1 IN kept::text) > 0`,
      [secret],
    );
    expect([name, rowCount]).toEqual([name, 0]);
  }
  expect((await fetch(server.origin + place)).status).toBe(200);
});

test("who leaves and joins again has other links, and the ones of before open nothing", async () => {
  const email = `${randomUUID()}@example.com`;
  await join(email);
  const leave = linkIn(await mailTo(server, email, /^Confirm/), "/waitlist/leave");
  expect((await postForm(server, leave, {})).status).toBe(200);
  await join(email);
  const { id } = await rowOf(email);
  expect(tokenIn(leave)).not.toContain(id);
  expect((await postForm(server, leave, {})).status).toBe(200);
  expect((await postForm(server, leave.replace("leave", "confirm"), {})).status).toBe(404);
  expect(await rowOf(email)).toMatchObject({ id, confirmed_at: null });
});

test("links of before open their place, whether their token is hashed yet or not; its hash opens nothing", async () => {
  const members = [await createOldMember(), await createOldMember()];
  await server.pool.query("UPDATE waitlist SET token = NULL, token_hash = $2 WHERE id = $1", [
    members[1]?.id,
    hashSecret(members[1]?.token ?? ""),
  ]);
  for (const { id, email, token } of members) {
    expect(await tryToken(hashSecret(token))).toEqual([404, 404, 200, 404, 200]);
    const confirmed = await postForm(server, `/waitlist/confirm?token=${token}`, {});
    expect(confirmed.headers.get("location")).toBe(`/waitlist/place?token=${token}`);
    expect(await mainOf(await fetch(`${server.origin}/waitlist/place?token=${token}`))).toContain(
      "This is your place",
    );
    // New mails have links of the new kind, and both work.
    const welcome = await mailTo(server, email, /^You’re on/);
    expect((await fetch(server.origin + linkIn(welcome, "/waitlist/place"))).status).toBe(200);
    expect(welcome.text).not.toContain(token);
    expect((await postForm(server, `/waitlist/leave?token=${token}`, {})).status).toBe(200);
    expect((await server.pool.query("SELECT FROM waitlist WHERE id = $1", [id])).rowCount).toBe(0);
  }
});

test("a token that we did not make is answered like none, and does nothing", async () => {
  const [ada, bob] = await createMembers(server.pool, 2, true);
  if (!ada || !bob) throw new Error("two addresses were added");
  const mac = ada.token.slice(37);
  const last = "AEIMQUYcgkosw048".includes(mac.at(-1) ?? "")
    ? `${mac.slice(0, -1)}${next(mac.at(-1) ?? "")}`
    : mac;
  const forged = {
    "another's proof": `${bob.id}_${mac}`,
    "made with another secret": placeToken(ada.id, { authSecret: "another secret of thirty-two characters" }),
    "no proof": `${ada.id}_`,
    "only the id": ada.id,
    "only the proof": `_${mac}`,
    "other letters for the same bytes": `${ada.id}_${last}`,
    "the id in capitals": `${ada.id.toUpperCase()}_${mac}`,
    "cut short": ada.token.slice(0, -1),
    "one longer": `${ada.token}A`,
    "a line more": `${ada.token}\n`,
    "space around": ` ${ada.token}`,
    huge: ada.token.repeat(100),
    "not ASCII": `${ada.id}_${"é".repeat(43)}`,
    "full-width": `${ada.id}_${"Ａ".repeat(43)}`,
    "NUL in it": `${ada.id}_${mac.slice(1)}\u0000`,
    "half a pair": `${ada.id}_${mac.slice(1)}\u{1F600}`,
  };
  for (const [what, token] of Object.entries(forged))
    expect([what, await tryToken(token)]).toEqual([what, [404, 404, 404, 404, 404]]);
  expect((await fetch(`${server.origin}/waitlist/place?token=${ada.token}`)).status).toBe(200);
});

/** The letter of base64url that stands for one more. */
function next(letter: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return letters[letters.indexOf(letter) + 1] ?? letter;
}
