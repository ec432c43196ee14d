import { expect, test } from "vitest";
import { postForm } from "../../../test/http.ts";
import { everyMailTo } from "../../../test/mail.ts";
import { addKey, createAppOwner, forgetCodes, setUpApp } from "../../../test/second-factor.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createPerson, isSignedIn, postAs, verify } from "../../../test/users.ts";

const server = sharedServer();

test("each factor added or removed changes the token, signs out everywhere else and says so", async () => {
  const owner = await createPerson(server.pool);
  await verify(server, owner);
  const elsewhere = async () => {
    const other = await createPerson(server.pool);
    await server.pool.query("UPDATE session SET user_id = $1 WHERE user_id = $2", [owner.id, other.id]);
    return other.cookie;
  };
  const changes = {
    "the first factor": () => setUpApp(server, owner),
    "a passkey": () => addKey(server, owner),
    removing: () => postAs(server, owner, "/account/second-factor", { do: "remove-app" }),
  };
  for (const [what, change] of Object.entries(changes)) {
    const [before, other] = [owner.cookie, await elsewhere()];
    await change();
    const signedIn = await Promise.all([before, other, owner.cookie].map((c) => isSignedIn(server, c)));
    expect([what, ...signedIn]).toEqual([what, false, false, true]);
  }
  const mails = await everyMailTo(server, owner.email);
  expect(
    mails.filter(({ text }) => /Every\s+other\s+device\s+is\s+signed\s+out\./.test(text ?? "")),
  ).toHaveLength(3);
});

test("confirming with the second factor changes the token; a wrong code does not", async () => {
  const owner = await createAppOwner(server);
  await server.pool.query(
    "UPDATE session SET second_factor_at = now() - interval '11 minutes' WHERE user_id = $1",
    [owner.id],
  );
  const [copied, path] = [owner.cookie, "/account/confirm/second-factor"];
  expect((await postForm(server, path, { otp: "000000" }, copied)).headers.getSetCookie()).toEqual([]);
  await forgetCodes(server, owner);
  expect((await postAs(server, owner, path, { otp: owner.app.code() })).status).toBe(303);
  expect(owner.cookie).not.toBe(copied);
  expect(await isSignedIn(server, owner.cookie)).toBe(true);
  expect(await isSignedIn(server, copied)).toBe(false);
});
