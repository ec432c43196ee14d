import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { setupServer } from "../../../test/server.fixture.ts";

const PRODUCTION = {
  NODE_ENV: "production",
  PUBLIC_ORIGIN: "https://own.example",
  AUTHORIZED_DOMAINS: "own.example,www.own.example",
};

describe("in production", () => {
  const server = setupServer({ ...PRODUCTION, GOOGLE_CLIENT_ID: "our-id", GOOGLE_CLIENT_SECRET: "secret" });

  test("only who has keys has a button", async () => {
    const page = await (await get("/login")).text();
    expect(page).toContain("/auth/start/google");
    expect(page).not.toContain("/auth/start/facebook");
    expect((await get("/sandbox/identity/google/authorize")).status).toBe(404);
    const off = await start("facebook");
    expect(off.headers.get("location")).toBe(
      "/login?provider=facebook&error=provider-off&return_to=%2Fdashboard",
    );
  });

  test("no other is named as a way to sign in", async () => {
    const page = await (await get("/forgot-password/sent")).text();
    expect(page).toMatch(/If you signed up with (<!-- -->)?Google(<!-- -->)?,/);
  });

  test("the form may lead to the provider, and does", async () => {
    const policy = (await get("/login")).headers.get("content-security-policy");
    expect(policy).toContain("form-action 'self' https://accounts.google.com https://own.example;");
    const answer = await start("google");
    const url = new URL(answer.headers.get("location") ?? "");
    expect(url.origin + url.pathname).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    expect(url.searchParams.get("client_id")).toBe("our-id");
    expect(url.searchParams.get("redirect_uri")).toBe("https://own.example/auth/callback/google");
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-sign-in-browser=\w{60}; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });

  test("under another of its names it leads to the one where people sign in", async () => {
    const sent = request(`http://127.0.0.1:${server.port}/auth/start/google`, {
      method: "POST",
      headers: {
        host: "www.own.example",
        origin: "https://www.own.example",
        "sec-fetch-site": "same-origin",
        "content-type": "application/x-www-form-urlencoded",
      },
    });
    const [answer] = (await once(sent.end("return_to=%2Fdashboard"), "response")) as [IncomingMessage];
    expect(answer.resume().headers.location).toBe("https://own.example/login?return_to=%2Fdashboard");
  });

  function get(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${server.port}${path}`);
  }

  function start(provider: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${server.port}/auth/start/${provider}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: PRODUCTION.PUBLIC_ORIGIN, "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ return_to: "/dashboard" }),
    });
  }
});
