import { afterAll, beforeAll } from "vitest";
import { findViolations } from "../app/db/invariants.server.ts";
import { startServer, type TestServer } from "./server.ts";

/**
 * A server for the tests of a file, started before the first and stopped after the last of them.
 *
 * @param env its settings, or a function that returns them when something else must be started first
 * @returns an object filled before the tests
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
 * The same with default settings, shared by all files that use it, in sequence: for tests that create their own users and leave
 * no table, limit or knob in an unexpected state. It ends with the process of the tests.
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
    // The next file must not use them.
    shared = undefined;
    await server.stop();
  });
  return server;
}
