import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { breakStatements } from "../../../test/away.ts";
import { beginAt, chooseAt, openBrowser, signInAt, turnKnobs } from "../../../test/browser.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { providersOn, someone } from "./people.fixture.ts";
import { PROVIDERS, type Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

const server = sharedServer();

const { expectRefused, userOf } = providersOn(server);

afterEach(() => turnKnobs(server, { reset: true }));

describe("an ID token", () => {
  test.each([
    { nonce: "wrong" },
    { nonce: "missing" },
    { audience: "wrong" },
    { issuer: "wrong" },
    { alg: "none" },
    { alg: "HS256" },
    { alg: "HS256_secret" },
    { alg: "unknown_key" },
    { expired: true },
  ])("with %o is refused: no session, no user", async (knobs) => {
    await turnKnobs(server, knobs);
    const browser = openBrowser(server);
    const person = someone();
    const answer = await signInAt(browser, "google", person);
    await expectRefused(browser, answer, "google", "identity-unproven");
    expect(await userOf(person.email)).toBeUndefined();
  });
});

describe.each(PROVIDERS)("when %s", (provider) => {
  test.each<[string, object, SignInError]>([
    ["is told no", { denial: true }, "access-denied"],
    ["does not know our client id", { authorize_error: "unauthorized_client" }, "invalid-api-key"],
    ["does not take our secret", { token: "invalid_client" }, "invalid-api-key"],
    ["does not take the code", { token: "invalid_grant" }, "provider-refused"],
    ["refuses for a reason of its own", { authorize_error: "invalid_scope" }, "provider-refused"],
    ["is unwell and says so", { authorize_error: "temporarily_unavailable" }, "network-request-failed"],
    ["is broken", { token: "500" }, "network-request-failed"],
    ["answers with what is no answer", { token: "garbage" }, "network-request-failed"],
  ])("%s: %o", async (_, knobs, error) => {
    await turnKnobs(server, knobs);
    await expectFailure(provider, error);
  });
});

test("when Google or Facebook says nothing for ten seconds, it is away", async () => {
  await turnKnobs(server, { token: "hang" });
  await Promise.all(PROVIDERS.map((provider) => expectFailure(provider, "network-request-failed")));
});

async function expectFailure(provider: Provider, error: SignInError): Promise<void> {
  const browser = openBrowser(server);
  const url = await beginAt(browser, provider);
  // Some of the knobs send the browser back before there is a page to choose on.
  const sentBack = (await browser.get(url)).headers.get("location");
  const person = someone();
  const callback = sentBack ?? (await chooseAt(browser, url, person));
  await expectRefused(browser, await browser.get(callback), provider, error);
  expect(await userOf(person.email)).toBeUndefined();
}

describe("when something of ours breaks on the way back", () => {
  /** What a user gets who returns while the provider is broken: the redirect, and whether they are signed in. */
  async function comeBackBroken(statement: string, condition?: string) {
    const browser = openBrowser(server);
    const person = someone();
    const callback = await chooseAt(browser, await beginAt(browser, "google"), person);
    const mend = await breakStatements(server, statement, condition);
    const answer = await browser.get(callback);
    await mend();
    return { browser, person, answer };
  }

  test.each([
    ["the account cannot be made", 'INSERT ON "user"'],
    ["the session cannot be opened", "INSERT ON session"],
  ])("%s: nobody is in, and starting again works", async (_what, statement) => {
    const { browser, person, answer } = await comeBackBroken(statement);
    await expectRefused(browser, answer, "google", "internal-error");
    await signInAt(browser, "google", person);
    expect((await browser.get("/dashboard")).status).toBe(200);
    expect(await userOf(person.email)).toBeDefined();
  });

  test("that they are in cannot be noted: they are in", async () => {
    const { browser, answer } = await comeBackBroken("UPDATE OF outcome ON provider_flows");
    expect(answer.headers.get("location")).toBe("/dashboard");
    expect((await browser.get("/dashboard")).status).toBe(200);
  });

  test("the flow cannot be used up: it is still good", async () => {
    const browser = openBrowser(server);
    const callback = await chooseAt(browser, await beginAt(browser, "google"), someone());
    const mend = await breakStatements(server, "UPDATE ON provider_flows");
    await expectRefused(browser, await browser.get(callback), "google", "internal-error");
    await mend();
    expect((await browser.get(callback)).headers.get("location")).toBe("/dashboard");
  });

  test("an opener that asks is told the outcome", async () => {
    const browser = openBrowser(server);
    const nonce = randomUUID();
    const ask = async () => (await browser.get(`/auth/popup/outcome?nonce=${nonce}`)).json();
    expect(await ask()).toEqual({ outcome: null, hasBegun: false });
    const window = await browser.get(`/auth/popup/google?nonce=${nonce}`);
    expect(await ask()).toEqual({ outcome: null, hasBegun: true });
    const callback = await chooseAt(browser, window.headers.get("location") ?? "", someone());
    const mend = await breakStatements(server, 'INSERT ON "user"');
    await browser.get(callback);
    await mend();
    expect(await ask()).toEqual({ outcome: "internal-error", hasBegun: true });
  });
});
