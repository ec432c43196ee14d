import { describe, expect, test } from "vitest";
import { call, checkoutOf, control, pay, postForm } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";

const server = sharedServer();

async function signedIn(): Promise<string> {
  return (await createSignedInUser(server.pool)).cookie;
}

async function answer(response: Response) {
  return { status: response.status, body: await response.json() };
}

test("a signed-in user gets the payment page's URL under both names", async () => {
  const { status, body } = await answer(await call(server, checkoutOf(server), await signedIn()));
  expect(status).toBe(200);
  expect(body.data.url).toMatch(`${server.origin}/sandbox/stripe/checkout/`);
  expect(body).toEqual({ data: body.data, result: body.data });
});

test("the same wish again, or ten times at once, leads to the same page", async () => {
  const cookie = await signedIn();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => call(server, checkoutOf(server), cookie)),
  );
  const urls = await Promise.all(answers.map(async (response) => (await response.json()).data?.url));
  expect(new Set(urls).size).toBe(1);
  expect(urls[0]).toMatch(/checkout/);
});

test("another wish replaces the first: nobody can pay on both", async () => {
  const cookie = await signedIn();
  const first = await answer(await call(server, checkoutOf(server, "price_csv_only_monthly"), cookie));
  const second = await answer(await call(server, checkoutOf(server, "price_csv_banking_yearly"), cookie));
  expect(second.body.data.url).not.toBe(first.body.data.url);
  expect((await pay(first.body.data.url)).status).toBe(410);
  expect((await pay(second.body.data.url)).status).toBe(303);
});

test("four prices wished for at once leave one page that can be paid", async () => {
  const cookie = await signedIn();
  const wishes = ["csv_only_monthly", "csv_only_yearly", "csv_banking_monthly", "csv_banking_yearly"];
  const answers = await Promise.all(
    wishes.map((wish) => call(server, checkoutOf(server, `price_${wish}`), cookie)),
  );
  for (const response of answers) expect([200, 409]).toContain(response.status);
  const urls = (await Promise.all(answers.map((response) => response.json()))).flatMap(
    ({ data }) => data?.url ?? [],
  );
  const paid = await Promise.all(urls.map(pay));
  expect(paid.filter((response) => response.status === 303)).toHaveLength(1);
});

test("somebody who pays already is not charged twice", async () => {
  const cookie = await signedIn();
  const first = await answer(await call(server, checkoutOf(server), cookie));
  await control(server, { webhooks: "hold" });
  await pay(first.body.data.url);
  // Nobody has told us of the payment: the call finds out by itself.
  const second = await answer(await call(server, checkoutOf(server, "price_csv_only_monthly"), cookie));
  await control(server, { webhooks: "deliver" });
  expect(second).toMatchObject({ status: 409, body: { error: { status: "ABORTED" } } });
});

describe("refused", () => {
  test("signed out", async () => {
    expect(await answer(await call(server, checkoutOf(server)))).toEqual({
      status: 401,
      body: { error: { status: "UNAUTHENTICATED", message: "You must be logged in to subscribe" } },
    });
  });

  test("an admin, as on the page: the dashboard it leads to offers no way back", async () => {
    const { id, cookie } = await createSignedInUser(server.pool);
    await server.pool.query(`UPDATE "user" SET email = 'Admin@Ownwords.example' WHERE id = $1`, [id]);
    expect(await answer(await call(server, checkoutOf(server), cookie))).toEqual({
      status: 403,
      body: {
        error: { status: "PERMISSION_DENIED", message: expect.stringMatching(/Admins don’t need a plan/) },
      },
    });
    const sent = await postForm(server, "/subscription", { price: "price_csv_only_yearly" }, cookie);
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "/dashboard"]);

    const dashboard = await (await fetch(`${server.origin}/dashboard`, { headers: { cookie } })).text();
    expect(dashboard).toContain("Admins don’t need a plan");
    expect(dashboard).not.toContain("Subscribe Now");
    expect(dashboard).not.toContain('href="/subscription"');
  });

  test.each([
    ["no data", undefined, 400, "INVALID_ARGUMENT"],
    ["data of another shape", ["price"], 400, "INVALID_ARGUMENT"],
    ["a price that is no text", { price: { $gt: "" } }, 400, "INVALID_ARGUMENT"],
    ["a price there is none of", { price: "price_of_salt" }, 404, "NOT_FOUND"],
    [
      "another site to come back to",
      { success_url: "https://evil.example/dashboard" },
      400,
      "INVALID_ARGUMENT",
    ],
    [
      "our host with another port",
      { cancel_url: "http://localhost:1/subscription" },
      400,
      "INVALID_ARGUMENT",
    ],
    ["a script to come back to", { cancel_url: "javascript:alert(1)" }, 400, "INVALID_ARGUMENT"],
    ["a name before our host", { success_url: "http://me@localhost/" }, 400, "INVALID_ARGUMENT"],
  ])("%s", async (_what, change, status, code) => {
    const data = change && !Array.isArray(change) ? { ...checkoutOf(server), ...change } : change;
    const { body, status: got } = await answer(await call(server, data, await signedIn()));
    expect({ got, error: body.error.status }).toEqual({ got: status, error: code });
    expect(body.error.message).toMatch(/\w/);
  });

  test("an amount, a trial or a coupon from the client changes nothing", async () => {
    const cookie = await signedIn();
    const data = {
      ...checkoutOf(server),
      unit_amount: 1,
      trial_period_days: 900,
      coupon: "FREE",
      quantity: 0,
    };
    const { body } = await answer(await call(server, data, cookie));
    expect(await (await fetch(body.data.url)).text()).toContain("Pay $49.99");
  });

  test.each([
    ["another method", { method: "PUT" }, 400, "INVALID_ARGUMENT"],
    [
      "a form",
      { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "data=1" },
      400,
      "INVALID_ARGUMENT",
    ],
    ["half a JSON", { body: '{"data":' }, 400, "INVALID_ARGUMENT"],
    ["more than 1 MB", { body: JSON.stringify({ data: "x".repeat(1_100_000) }) }, 400, "INVALID_ARGUMENT"],
  ] as [string, RequestInit, number, string][])("%s", async (_what, change, status, code) => {
    const response = await fetch(`${server.origin}/functions/us-central1/createCheckoutSession`, {
      method: "POST",
      body: "{}",
      ...change,
      headers: {
        origin: server.origin,
        cookie: await signedIn(),
        "content-type": "application/json",
        ...change.headers,
      },
    });
    expect(await answer(response)).toMatchObject({ status, body: { error: { status: code } } });
  });

  test("from another site with the user's cookie", async () => {
    const response = await fetch(`${server.origin}/functions/us-central1/createCheckoutSession`, {
      method: "POST",
      headers: {
        origin: "https://evil.example",
        cookie: await signedIn(),
        "content-type": "application/json",
      },
      body: JSON.stringify({ data: checkoutOf(server) }),
    });
    expect(await answer(response)).toMatchObject({
      status: 403,
      body: { error: { status: "PERMISSION_DENIED" } },
    });
  });

  test("while Stripe is away, and it works again afterwards", async () => {
    const cookie = await signedIn();
    await control(server, { api: "down" });
    const away = await answer(await call(server, checkoutOf(server), cookie));
    await control(server, { api: "up" });
    expect(away).toEqual({
      status: 503,
      body: { error: { status: "UNAVAILABLE", message: "Failed to initiate checkout. Please try again." } },
    });
    expect((await call(server, checkoutOf(server), cookie)).status).toBe(200);
  });
});

test.each(["success_url", "cancel_url"])(
  "a blob of our origin leads nowhere, so it is no %s",
  async (name) => {
    const data = { ...checkoutOf(server), [name]: `blob:${server.origin}/dashboard` };
    expect((await call(server, data, await signedIn())).status).toBe(400);
  },
);
