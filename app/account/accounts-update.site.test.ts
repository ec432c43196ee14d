import { expect, test } from "vitest";
import { setupServer } from "../../test/server.fixture.ts";
import { callAs, fetchToken } from "../../test/tokens.ts";
import { createSignedInUser, get } from "../../test/users.ts";
import { ACCOUNT_LIMITS } from "./limits.ts";

const server = setupServer();

const signedIn = () => createSignedInUser(server.pool);

async function update(json: unknown, headers: Record<string, string>) {
  const response = await callAs(server, "/v1/accounts:update", json, headers);
  return { status: response.status, body: await response.json() };
}

test("the name and the photo change, by the session or by a bearer token, and the rest is kept", async () => {
  const { id, cookie } = await signedIn();
  const email = `${id}@example.com`;
  const unchanged = { localId: id, email, displayName: "Test", emailVerified: false };
  expect(await update({}, { cookie })).toEqual({ status: 200, body: unchanged });

  const photoUrl = "https://photos.example/ada.jpg";
  expect((await update({ photoUrl, isAdmin: true, localId: id }, { cookie })).body).toEqual({
    ...unchanged,
    photoUrl,
  });
  const authorization = `Bearer ${await fetchToken(server, cookie)}`;
  expect((await update({ displayName: "  Ada Lovelace " }, { authorization })).body).toEqual({
    ...unchanged,
    displayName: "Ada Lovelace",
    photoUrl,
  });
  const { rows } = await server.pool.query(
    `SELECT name, image, email, updated_at > created_at AS "isUpdated" FROM "user" WHERE id = $1`,
    [id],
  );
  expect(rows).toEqual([{ name: "Ada Lovelace", image: photoUrl, email, isUpdated: true }]);
});

test.each([
  ["null", { photoUrl: null }],
  ["nothing", { photoUrl: "" }],
  ["its name as an attribute", { deleteAttribute: ["PHOTO_URL"] }],
])("%s takes the photo away", async (_what, json) => {
  const { cookie } = await signedIn();
  await update({ photoUrl: "https://photos.example/ada.jpg" }, { cookie });
  const { status, body } = await update(json, { cookie });
  expect(status).toBe(200);
  expect(body).not.toHaveProperty("photoUrl");
});

test("the token may come in the body, and counts before a cookie or a header", async () => {
  const [ada, eve] = [await signedIn(), await signedIn()];
  const idToken = await fetchToken(server, ada.cookie);
  const authorization = `Bearer ${await fetchToken(server, eve.cookie)}`;
  for (const headers of [{}, { cookie: eve.cookie }, { authorization }] as Record<string, string>[]) {
    const { status, body } = await update({ idToken, displayName: "Ada", returnSecureToken: true }, headers);
    expect({ status, localId: body.localId }).toEqual({ status: 200, localId: ada.id });
  }
  for (const bad of ["", "x.y.z", `${idToken}x`])
    expect((await update({ idToken: bad, displayName: "Eve" }, { cookie: eve.cookie })).status).toBe(401);
  expect((await update({ idToken: null }, { cookie: eve.cookie })).status).toBe(400);
  const { rows } = await server.pool.query(`SELECT name FROM "user" WHERE id = ANY($1) ORDER BY name`, [
    [ada.id, eve.id],
  ]);
  expect(rows).toEqual([{ name: "Ada" }, { name: "Test" }]);
});

test("what is deleted is gone, and the pages go on without it", async () => {
  const { id, cookie } = await signedIn();
  await update({ photoUrl: "https://photos.example/ada.jpg" }, { cookie });
  const { status, body } = await update({ deleteAttribute: ["DISPLAY_NAME", "PHOTO_URL"] }, { cookie });
  expect(status).toBe(200);
  expect(body).toEqual({ localId: id, email: `${id}@example.com`, emailVerified: false });
  const { rows } = await server.pool.query(`SELECT name, image FROM "user" WHERE id = $1`, [id]);
  expect(rows).toEqual([{ name: "", image: null }]);
  const page = await (await get(server, "/dashboard", cookie)).text();
  expect(page.replace(/<!-- -->/g, "")).toContain(`Welcome, ${id}@example.com`);
});

test.each([
  ["no name", { displayName: " " }, "displayName: Enter your name"],
  ["null as a name", { displayName: null }, "displayName: Enter your name"],
  ["a name of 101 characters", { displayName: "a".repeat(101) }, /100 characters or fewer/],
  ["a name in two lines", { displayName: "a\nb" }, /Some characters here can’t be saved/],
  ["a name nobody sees", { displayName: "\u200b" }, /at least one visible character/],
  ["a photo with a NUL", { photoUrl: "https://a.example/\u0000" }, /photoUrl: Enter a link/],
  ["a photo over http", { photoUrl: "http://photos.example/a.jpg" }, /photoUrl: Enter a link/],
  ["a script for a photo", { photoUrl: "javascript:alert(1)" }, /photoUrl: Enter a link/],
  ["a photo that is its own bytes", { photoUrl: "data:image/png;base64,x" }, /photoUrl: Enter a link/],
  ["a photo's address of 2001 characters", { photoUrl: `https://a.example/${"a".repeat(1983)}` }, /2000/],
  ["deleting what cannot be deleted", { deleteAttribute: ["EMAIL"] }, /Only DISPLAY_NAME and PHOTO_URL/],
  ["another address", { email: "new@example.com" }, /\/account$/],
  ["another password", { password: "correct horse battery" }, /\/account$/],
  ["a list", ["displayName"], "Send a JSON object"],
  ["a text", "displayName", "Send a JSON object"],
])("%s is refused and changes nothing", async (_what, json, message) => {
  const { id, cookie } = await signedIn();
  const { status, body } = await update(json, { cookie });
  expect(status).toBe(400);
  expect(body.error).toEqual({ status: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
  const { rows } = await server.pool.query(`SELECT name, image, email FROM "user" WHERE id = $1`, [id]);
  expect(rows).toEqual([{ name: "Test", image: null, email: `${id}@example.com` }]);
});

test("refused: a signed-out visitor, another method, another content type", async () => {
  expect(await update({ displayName: "Eve" }, {})).toEqual({
    status: 401,
    body: { error: { status: "UNAUTHENTICATED", message: "Log in first" } },
  });
  const { cookie } = await signedIn();
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const response = await fetch(`${server.origin}/v1/accounts:update`, {
      method,
      headers: { origin: server.origin, cookie },
    });
    expect([method, response.status, response.headers.get("Allow")]).toEqual([method, 405, "POST"]);
    expect((await response.json()).error.status).toBe("INVALID_ARGUMENT");
  }
  const form = { cookie, "content-type": "application/x-www-form-urlencoded" };
  expect((await update({ displayName: "Eve" }, form)).status).toBe(400);
});

test("two hundred changes at once: most are told to wait, and one job at most waits for Stripe", async () => {
  const { id, cookie } = await signedIn();
  await server.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1)", [id]);
  const waiting: number[] = [];
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const { status, body } = await update({ displayName: `Ada ${index}` }, { cookie });
      const { rowCount } = await server.pool.query(
        "SELECT FROM outbox WHERE kind = 'update_customer' AND done_at IS NULL AND claimed_at IS NULL",
      );
      waiting.push(rowCount ?? 0);
      return { status, body };
    }),
  );
  expect(Math.max(...waiting)).toBeLessThanOrEqual(1);
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  expect(byStatus.get(200)).toHaveLength(ACCOUNT_LIMITS.profileByUser.windows[0].count);
  expect(byStatus.get(429)?.[0]?.body.error).toEqual({
    status: "RESOURCE_EXHAUSTED",
    message: expect.stringMatching(/^Wait \d+ seconds? and try again$/),
  });
  const refused = await callAs(server, "/v1/accounts:update", { displayName: "Ada" }, { cookie });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("another site cannot use the cookie", async () => {
  const { cookie } = await signedIn();
  const refused = await update({ displayName: "Eve" }, { cookie, origin: "https://evil.example" });
  expect(refused).toMatchObject({ status: 403, body: { error: { status: "PERMISSION_DENIED" } } });
});

test("projects says on which hosts people may sign in", async () => {
  const response = await fetch(`${server.origin}/v1/projects`);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(await response.json()).toEqual({ projectId: "ownwords", authorizedDomains: ["localhost"] });
});
