import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../test/command.ts";
import { databaseSettings } from "../../test/database.ts";
import { mainOf, postForm } from "../../test/http.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { createAppOwner, forgetCodes, openPending } from "../../test/second-factor.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET, spawnServer, type TestServer } from "../../test/server.ts";
import { createPerson, get, isSignedIn } from "../../test/users.ts";

/** With the secret that is replaced. */
const server = setupServer();

const NEXT = "the secret that comes after that one, as long";
const BOTH = { AUTH_SECRET: NEXT, AUTH_SECRET_BEFORE: AUTH_SECRET };
const ONLY_NEXT = { AUTH_SECRET: NEXT };

let settings: Record<string, string>;
/** Processes of the same site, while both secrets are set and once only the new one is. */
let both: TestServer;
let onlyNext: TestServer;

beforeAll(async () => {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const url = Object.assign(new URL(process.env.TEST_DATABASE_URL ?? ""), { pathname: `/${rows[0].name}` });
  settings = databaseSettings(url.href);
  const start = async (secrets: Record<string, string>) => ({
    ...server,
    ...(await spawnServer({ ...settings, ...secrets })),
  });
  [both, onlyNext] = [await start(BOTH), await start(ONLY_NEXT)];
});

afterAll(() => {
  for (const { child } of [both, onlyNext]) child.kill("SIGTERM");
});

const ops = (secrets: Record<string, string>) =>
  runCommand("bin/ops.ts", ["secrets", "rotate"], { ...settings, ...secrets });

/** What the doctor says of it. */
async function doctor(secrets: Record<string, string>): Promise<string | undefined> {
  const env = { ...settings, PORT: server.port, ...secrets };
  const { printed } = await runCommand("bin/doctor.ts", [], env);
  return printed.split("\n").find((line) => line.includes(" secrets"));
}

type Owner = Awaited<ReturnType<typeof createAppOwner>>;

/** The status with which a process answers the code of an owner's app. */
async function showCode(at: TestServer, owner: Owner): Promise<number> {
  await forgetCodes(server, owner);
  const browser = await openPending(at, owner.email);
  return (await browser.post("/login/second-factor", { otp: owner.app.code() })).status;
}

test("AUTH_SECRET is replaced while people keep their authenticator apps and sessions", async () => {
  const owners = [await createAppOwner(server), await createAppOwner(server)] as const;
  const [ada, ben] = owners;
  expect(await isSignedIn(onlyNext, ada.cookie)).toBe(true);
  expect([await showCode(both, ada), await showCode(onlyNext, ada)]).toEqual([303, 400]);

  expect(await ops(ONLY_NEXT)).toEqual({
    code: 1,
    printed: expect.stringContaining("AUTH_SECRET_BEFORE is not set"),
  });
  const wrong = { ...BOTH, AUTH_SECRET_BEFORE: "a secret that was never that of this site" };
  expect(await doctor(wrong)).toContain("AUTH_SECRET_BEFORE is not what sealed them: it opens 0 of 2");
  expect(await ops(wrong)).toEqual({
    code: 1,
    printed: expect.stringContaining("2 authenticator apps were sealed with another secret"),
  });
  expect(await doctor(BOTH)).toContain("2 authenticator apps still need AUTH_SECRET_BEFORE");

  // Stopped in the middle: the first one is done, and what is done is left alone.
  await server.pool.query(
    "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE; END $$",
  );
  const last = [ada.id, ben.id].toSorted()[1];
  await server.pool.query(
    `CREATE TRIGGER stop BEFORE UPDATE ON authenticator_apps FOR EACH ROW WHEN (new.user_id = '${last}') EXECUTE FUNCTION stop()`,
  );
  expect((await ops(BOTH)).code).not.toBe(0);
  await server.pool.query("DROP FUNCTION stop CASCADE");
  expect(await doctor(BOTH)).toContain("1 authenticator apps still need AUTH_SECRET_BEFORE");

  expect(await ops(BOTH)).toEqual({
    code: 0,
    printed: expect.stringContaining("1 authenticator apps sealed with AUTH_SECRET"),
  });
  expect(await ops(BOTH)).toEqual({
    code: 0,
    printed: expect.stringContaining("0 authenticator apps sealed with AUTH_SECRET, 0 signing keys"),
  });
  expect(await doctor(BOTH)).toContain("AUTH_SECRET has sealed all authenticator apps");
  expect(await doctor(ONLY_NEXT)).toBeUndefined();
  for (const owner of owners)
    expect([await showCode(both, owner), await showCode(onlyNext, owner)]).toEqual([303, 303]);
});

test("what was signed before is accepted as long as the secret before is set", async () => {
  const email = "link@example.com";
  await postForm(server, "/waitlist", { email });
  const mail = await mailTo(server, email, /Confirm/i);
  const link = linkIn(mail, "/waitlist/confirm");
  expect((await fetch(both.origin + link)).status).toBe(200);
  expect((await fetch(onlyNext.origin + link)).status).toBe(404);

  // The page of an account that was open meanwhile.
  const person = await createPerson(server.pool);
  const page = await (await get(server, "/account", person.cookie)).text();
  const [, account = ""] = /name="account" value="([^"]+)"/.exec(page) ?? [];
  expect(account).not.toBe("");
  const save = (at: TestServer) => postForm(at, "/account", { account, name: "Ada" }, person.cookie);
  expect((await save(both)).status).toBe(303);
  const refused = await save(onlyNext);
  expect([refused.status, await mainOf(refused)]).toEqual([409, expect.stringContaining("another account")]);
});
