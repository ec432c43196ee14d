import { expect, test } from "vitest";
import { setupServer } from "../../test/server.fixture.ts";
import { fetchToken } from "../../test/tokens.ts";
import { createSignedInUsers } from "../../test/users.ts";

const APP = "https://app.example";
const OTHER = "http://desktop.example:8080";
const PATHS = [
  "/functions/us-central1/createCheckoutSession",
  "/v1/accounts:update",
  "/v1/projects",
  "/api/token",
];

const server = setupServer({ CORS_ORIGINS: `${APP}, ${OTHER}` });

function corsOf({ headers }: Response) {
  return Object.fromEntries(
    [...headers].flatMap(([name, value]) =>
      name.startsWith("access-control-") ? [[name.slice("access-control-".length), value]] : [],
    ),
  );
}

function ask(path: string, origin: string) {
  return fetch(server.origin + path, {
    method: "OPTIONS",
    headers: {
      origin,
      "sec-fetch-site": "cross-site",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
}

test.each(PATHS)("%s may be called from the configured origins", async (path) => {
  for (const origin of [APP, OTHER]) {
    const response = await ask(path, origin);
    expect(response.status).toBe(204);
    expect(response.headers.get("Vary")).toContain("Origin");
    expect(corsOf(response)).toEqual({
      "allow-origin": origin,
      "allow-methods": "GET, POST",
      "allow-headers": "Authorization, Content-Type, Firebase-Instance-ID-Token, X-Firebase-AppCheck",
      "expose-headers": "Retry-After, X-Request-Id",
      "max-age": "600",
    });
  }
});

test.each(["https://evil.example", "https://app.example.evil.example", "https://app.example:444", "null"])(
  "%s may call nothing",
  async (origin) => {
    for (const path of PATHS) {
      const response = await ask(path, origin);
      expect(corsOf(response)).toEqual({});
      expect(response.headers.get("Vary")).toContain("Origin");
    }
  },
);

test("pages and forms are nobody else's, whatever is configured", async () => {
  for (const path of ["/login", "/dashboard", "/", "/auth/handoff", "/webhooks/stripe"]) {
    expect(corsOf(await ask(path, APP))).toEqual({});
  }
});

test("answers and errors can be read, and never with credentials", async () => {
  const [user] = await createSignedInUsers(server.pool, 1);
  const authorization = `Bearer ${await fetchToken(server, user?.cookie ?? "")}`;
  const call = (path: string, headers: Record<string, string>, body = "{}", method = "POST") =>
    fetch(server.origin + path, {
      method,
      headers: {
        origin: APP,
        "sec-fetch-site": "cross-site",
        "content-type": "application/json",
        ...headers,
      },
      ...(method === "POST" && { body }),
    });
  const readable = { "allow-origin": APP, "expose-headers": "Retry-After, X-Request-Id" };
  const answers = [
    [200, await call("/v1/accounts:update", { authorization })],
    [401, await call("/v1/accounts:update", {})],
    [401, await call("/v1/accounts:update", { authorization: "Bearer x" })],
    [400, await call("/v1/accounts:update", { authorization }, "{")],
    [405, await call("/v1/accounts:update", {}, "", "GET")],
    [403, await call("/v1/accounts:update", { cookie: user?.cookie ?? "" })],
    [400, await call("/v1/accounts:update", { authorization }, " ".repeat(1_100_000))],
    [401, await call("/api/token", { cookie: user?.cookie ?? "" }, "", "GET")],
    [200, await call("/v1/projects", {}, "", "GET")],
  ] as const;
  for (const [status, response] of answers) {
    expect([status, corsOf(response)]).toEqual([response.status, readable]);
    expect(response.headers.get("Vary")).toContain("Origin");
    expect(response.headers.get("Content-Type")).toContain("application/json");
  }
});
