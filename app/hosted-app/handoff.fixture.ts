import { afterAll, expect } from "vitest";
import { type Claims, openHostedApp } from "../../test/hosted-app.ts";
import { asClient, mainOf } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";

export const PATH = "/auth/handoff";

/** A server with a hosted app, and what tests of its handoff do and look at. */
export function setupHandoff() {
  const hosted = {} as Awaited<ReturnType<typeof openHostedApp>>;
  const server = setupServer(async () => {
    Object.assign(hosted, await openHostedApp());
    return hosted.env;
  });
  afterAll(() => hosted.close());
  return { hosted, server, handOver, sign, sessions, refused };

  function sign(claims: Claims = {}) {
    return hosted.sign(server.origin, claims);
  }

  /** The hosted app's page sends its form, as a browser does. */
  function handOver(
    id_token: string,
    { return_to, headers }: { return_to?: string; headers?: Record<string, string> } = {},
    to = server,
  ): Promise<Response> {
    return fetch(to.origin + PATH, {
      method: "POST",
      redirect: "manual",
      headers: { ...asClient(), ...(headers ?? { origin: hosted.origin, "sec-fetch-site": "cross-site" }) },
      body: new URLSearchParams({ id_token, ...(return_to !== undefined && { return_to }) }),
    });
  }

  async function sessions(): Promise<number> {
    return (await server.pool.query("SELECT count(*)::int AS count FROM session")).rows[0].count;
  }

  /** @returns what the page says after the refusal; makes sure that nobody got in */
  async function refused(response: Response, status: number, before: number): Promise<string> {
    expect(response.status).toBe(status);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await sessions()).toBe(before);
    const main = await mainOf(response);
    expect(main).toContain("Failed to sign in");
    expect(main).toContain(`href="${hosted.origin}/login?return_to=`);
    return main;
  }
}
