import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { cookieOf, mainOf, postForm } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { get, PASSWORD } from "../../test/users.ts";

const server = sharedServer();

const YEAR = new Date().getUTCFullYear() + 1;
/** Early on the 27th in UTC. */
const END = `${YEAR}-11-27T02:00:00Z`;
const IN_LOS_ANGELES = `November 26, ${YEAR}, 6:00 PM PST`;
const IN_UTC = `November 27, ${YEAR}, 2:00 AM UTC`;

/** Signs up by the form with a plan until END. @param fields besides those that are asked for */
async function signUp(fields: Record<string, string>) {
  const email = `${randomUUID()}@example.com`;
  const answer = await postForm(server, "/register", { name: "Ada", email, password: PASSWORD, ...fields });
  expect(answer.status).toBe(303);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at) SELECT $1, id, 'basic', 'admin', $3 FROM "user" WHERE email = $2`,
    [randomUUID(), email, END],
  );
  return { email, cookie: cookieOf(answer) };
}

async function signIn(email: string, fields: Record<string, string>): Promise<string> {
  const answer = await postForm(server, "/login", { email, password: PASSWORD, ...fields });
  expect(answer.status).toBe(303);
  return cookieOf(answer);
}

async function pageOf(cookie: string, path = "/dashboard"): Promise<string> {
  return (await mainOf(await get(server, path, cookie))).replaceAll(/<[^>]+>/g, "");
}

test("an end is named in the zone that the browser told at sign-up, and at the last sign-in", async () => {
  const { email, cookie } = await signUp({ time_zone: "America/Los_Angeles" });
  expect(await pageOf(cookie)).toContain(IN_LOS_ANGELES);
  expect(await pageOf(cookie)).not.toContain(IN_UTC);
  // Far off, the day is enough.
  const [day = ""] = IN_LOS_ANGELES.split(/(?<=\d{4})/);
  expect(await pageOf(cookie, "/subscription")).toContain(`until ${day}`);
  // Signed in without scripts, or with nonsense, the zone stays.
  for (const fields of [{}, { time_zone: "" }, { time_zone: "Mars/Base" }])
    expect(await pageOf(await signIn(email, fields as Record<string, string>))).toContain(IN_LOS_ANGELES);
  const moved = await signIn(email, { time_zone: "Pacific/Kiritimati" });
  expect(await pageOf(moved)).toContain(`November 27, ${YEAR}, 4:00 PM GMT+14`);
});

test.each([
  undefined,
  "",
  "Mars/Base",
  "+02:00",
  '\'; DROP TABLE "user"; --',
  "Europe/Berlin\u0000",
  "E".repeat(60_000),
])("with the zone %j, an end is said in UTC", async (zone) => {
  const { cookie } = await signUp(zone === undefined ? {} : { time_zone: zone });
  expect(await pageOf(cookie)).toContain(IN_UTC);
});

test("an account page tells a zone that is new, whatever one signed in with", async () => {
  const { cookie } = await signUp({});
  const tell = (zone: string) => postForm(server, "/account/time-zone", { time_zone: zone }, cookie);
  expect((await tell("Mars/Base")).status).toBe(400);
  expect(await pageOf(cookie)).toContain(IN_UTC);
  await tell("America/Los_Angeles");
  expect(await pageOf(cookie)).toContain(IN_LOS_ANGELES);
});
