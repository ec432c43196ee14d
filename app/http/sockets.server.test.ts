import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openSockets } from "./sockets.server.ts";

test("a connection that was accepted just before the end is answered, not reset", async () => {
  const sockets = openSockets(() => {});
  await sockets.listen(0, ["127.0.0.1"]);
  sockets.answerWith((_request, response) => void response.end("answered"));
  const closed = once(sockets.server, "connection").then(() => sockets.close(10_000));
  const { port } = sockets.server.address() as AddressInfo;
  expect(await ask(port)).toBe(200);
  await closed;
});

/** @returns the status, or Node's code of what went wrong */
function ask(port: number): Promise<number | string> {
  return new Promise((resolve) => {
    request({ host: "127.0.0.1", port, agent: false }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    })
      .once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? ""))
      .end();
  });
}
