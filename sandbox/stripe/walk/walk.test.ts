import { readFileSync } from "node:fs";
import { join } from "node:path";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
import { ENDPOINTS } from "../api/endpoints.ts";
import { findEndpoint } from "../api/find-endpoint.ts";
import { openOwnPort } from "../api/own-port.ts";
import { walkAccount, walkCatalogue } from "./catalogue.ts";
import { walkPages, walkPayments } from "./payments.ts";
import { walkClocks, walkSchedules, walkSubscriptions } from "./subscriptions.ts";

/** What the SDK says of each response. */
interface Answered {
  method: string;
  path: string;
  status: number;
}

let running: Awaited<ReturnType<typeof startTestSandbox>>;
let own: Awaited<ReturnType<typeof openOwnPort>>;
beforeAll(async () => {
  running = await startTestSandbox();
  own = await openOwnPort({ port: 0, handleApi: running.sandbox.handleApi, log: () => {} });
});
afterAll(async () => {
  await own.close();
  await running.close();
});

const known = ENDPOINTS.map(([method, path]) => `${method} ${path}`).sort();

test("the official SDK, with no more than host, port and protocol, gets an answer of every endpoint", async () => {
  const { hostname, port } = new URL(own.origin);
  const stripe = new Stripe("sk_test_sandbox", { host: hostname, port, protocol: "http" });
  const walked = new Map<string, number>();
  stripe.on("response", ({ method, path, status }: Answered) => {
    const { pathname } = new URL(path, own.origin);
    const endpoint = `${method} ${findEndpoint(method, pathname).pattern}`;
    walked.set(endpoint, status);
  });
  const walks = [
    walkCatalogue,
    walkPayments,
    walkPages,
    walkSubscriptions,
    walkSchedules,
    walkClocks,
    walkAccount,
  ];
  for (const walk of walks) await walk(stripe);
  expect([...walked.keys()].sort()).toEqual(known);
  const refused = [...walked].filter(([, status]) => status !== 200);
  expect(refused).toEqual([["DELETE /v1/customers/:id/discount", 400]]);
});

test("the README claims every endpoint, and no other", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const rows = readme.matchAll(/^\| `(\/v1\/[^`]+)` +\| ((?:GET|POST|DELETE|, )+) +\|/gm);
  const claimed = Array.from(rows, ([, path, methods = ""]) =>
    methods.split(", ").map((method) => `${method} ${path}`),
  );
  expect(claimed.flat().sort()).toEqual(known);
});
