import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { setupServer } from "../../test/server.fixture.ts";

const server = setupServer();

/** The status that a request with these lines is answered with. */
async function statusOf(path: string, ...lines: string[]): Promise<string> {
  const socket = connect(Number(server.port), "127.0.0.1");
  await once(socket, "connect");
  socket.write([`GET ${path} HTTP/1.1`, "Connection: close", ...lines, "", ""].join("\r\n"));
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer.slice(9, 12);
}

const OURS = "Host: localhost";

test.each([
  ["two hosts", [OURS, "Host: evil.example"]],
  ["the same host twice", [OURS, "host: localhost"]],
  ["two hosts with others between", [OURS, "Accept: */*", "HOST: evil.example"]],
  ["two hosts in one line", ["Host: localhost, evil.example"]],
  ["a host with a path", ["Host: localhost/evil"]],
  ["a host with a user", ["Host: evil@localhost"]],
  ["no host", []],
])("%s: 400, whatever would answer", async (_what, lines) => {
  for (const path of [
    "/",
    "/pricing",
    "/login",
    "/healthz",
    "/favicon.ico",
    "/webhooks/stripe",
    "/sandbox/mail",
  ])
    expect([path, await statusOf(path, ...lines)]).toEqual([path, "400"]);
});

test.each(["localhost", "[::1]:3000", "own-words.example:443", "LOCALHOST.", "a_b.example"])(
  "the host %s is one",
  async (host) => {
    expect(await statusOf("/", `Host: ${host}`)).toBe("200");
    expect(await statusOf("/login", `Host: ${host}`)).toBe("200");
  },
);
