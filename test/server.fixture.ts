import { afterAll, beforeAll } from "vitest";
import { findViolations } from "../app/db/invariants.server.ts";
import { startServer, type TestServer } from "./server.ts";

/**
 * A server for the tests of a file, started before the first and ended after the last of them.
 *
 * @param env its settings, or what makes them when something else must be started before
 * @returns what is filled in by then
 */
export function setupServer(
  env: Record<string, string> | (() => Promise<Record<string, string>>) = {},
): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => {
    Object.assign(server, await startServer(typeof env === "function" ? await env() : env));
  });
  afterAll(() => server.stop());
  return server;
}

let shared: Promise<TestServer> | undefined;

/**
 * The same with the settings of every day, and for all files that ask for it, one after the other: for tests that bring
 * people of their own and leave no table, limit or knob as others would not expect it. It ends with the process of
 * the tests.
 */
export function sharedServer(): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => {
    // A start that failed is no server for the files that follow.
    shared ??= startServer().catch((error: unknown) => {
      shared = undefined;
      throw error;
    });
    Object.assign(server, await shared);
  });
  afterAll(async () => {
    const violations = await findViolations(server.pool);
    if (violations.length === 0) return;
    // The next file shall not find them.
    shared = undefined;
    await server.stop();
  });
  return server;
}
