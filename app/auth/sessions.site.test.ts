import { expect, test } from "vitest";
import { mainOf, postForm } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, get, isSignedIn, type Person, sessionTokenOf, signInAgain } from "../../test/users.ts";
import { hashSecret } from "../http/secret-token.server.ts";
import { deviceOf } from "./sessions.server.ts";

const server = sharedServer();

const end = ({ cookie }: Person, which: string) =>
  postForm(server, "/account/sessions", { end: which }, cookie);

/** The ids of a user's sessions, oldest first. */
async function sessionsOf({ id }: Person): Promise<string[]> {
  const { rows } = await server.pool.query(
    "SELECT id FROM session WHERE user_id = $1 ORDER BY created_at, id",
    [id],
  );
  return rows.map((row) => row.id);
}

test("one session is signed out, then all others; never this one, and never another user's", async () => {
  const person = await createPerson(server.pool);
  const others = [
    await signInAgain(server, person.email),
    await signInAgain(server, person.email),
    await signInAgain(server, person.email),
  ];
  const stranger = await createPerson(server.pool);
  const [own = "", first = ""] = await sessionsOf(person);
  const [theirs = ""] = await sessionsOf(stranger);

  const page = await mainOf(await get(server, "/account/sessions", person.cookie));
  expect(page.match(/this device/g)).toHaveLength(1);
  expect(page.match(/Last seen/g)).toHaveLength(3);
  expect(page.indexOf("this device")).toBeLessThan(page.indexOf("Last seen"));
  expect(page.match(/name="end"/g)).toHaveLength(4);
  for (const token of [person.cookie, ...others, stranger.cookie].map(sessionTokenOf))
    for (const secret of [token, hashSecret(token)]) expect(page).not.toContain(secret);

  expect((await end(person, theirs)).status).toBe(303);
  expect(await isSignedIn(server, stranger.cookie)).toBe(true);
  await end(person, own);
  expect(await isSignedIn(server, person.cookie)).toBe(true);

  expect((await end(person, first)).headers.get("location")).toBe("/account/sessions?ended=1");
  const left = await Promise.all(others.map((cookie) => isSignedIn(server, cookie)));
  expect(left.filter(Boolean)).toHaveLength(2);

  await Promise.all([end(person, "others"), end(person, "others")]);
  for (const other of others) expect(await isSignedIn(server, other)).toBe(false);
  expect(await isSignedIn(server, person.cookie)).toBe(true);
  expect(await isSignedIn(server, stranger.cookie)).toBe(true);
});

test("when a device was last seen is told in the user’s time zone", async () => {
  const person = await createPerson(server.pool);
  await signInAgain(server, person.email);
  const [, other] = await sessionsOf(person);
  await server.pool.query("UPDATE session SET updated_at = '2026-11-27T02:00Z' WHERE id = $1", [other]);
  const lastSeen = async () => {
    const page = await mainOf(await get(server, "/account/sessions", person.cookie));
    return /Last seen (.*?)</.exec(page.replaceAll(/<\/?time[^>]*>/g, ""))?.[1];
  };
  expect(await lastSeen()).toBe("November 27, 2026, 2:00 AM UTC");
  await server.pool.query(`UPDATE "user" SET time_zone = 'America/Los_Angeles' WHERE id = $1`, [person.id]);
  expect(await lastSeen()).toBe("November 26, 2026, 6:00 PM PST");
});

test("what is no session changes nothing", async () => {
  const person = await createPerson(server.pool);
  await signInAgain(server, person.email);
  for (const which of ["x", "x".repeat(90)]) expect((await end(person, which)).status).toBe(303);
  for (const which of ["", "\u0000", "'; DROP TABLE session; --", "x".repeat(5000)])
    expect((await end(person, which)).status).toBe(400);
  expect((await postForm(server, "/account/sessions", {}, person.cookie)).status).toBe(400);
  expect(await sessionsOf(person)).toHaveLength(2);
});

test("a device is what its browser says it is, and anything may be said", () => {
  const chrome =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
  const iphone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
  expect(deviceOf(chrome)).toBe("Chrome on Windows");
  expect(deviceOf(iphone)).toBe("Safari on iOS");
  for (const nothing of [null, "", " ", "?"]) expect(deviceOf(nothing)).toBe("Unknown device");
  expect(deviceOf("(".repeat(16_000))).toBe("Unknown device");
});
