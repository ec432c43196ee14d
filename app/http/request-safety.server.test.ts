import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";

/** A process of its own, because what is tested is that it goes on. It prints its port, and then what it logs. */
const PROCESS = `
  import { createServer } from "node:http";
  import { createReadStream } from "node:fs";
  import { createRequestSafety } from "${import.meta.dirname}/request-safety.server.ts";
  import { createLog } from "${import.meta.dirname}/../log/log.server.ts";
  import { createRequests } from "${import.meta.dirname}/../telemetry/requests.server.ts";
  import { NO_TELEMETRY } from "${import.meta.dirname}/../telemetry/telemetry.ts";
  import { createCurrentWork } from "${import.meta.dirname}/../telemetry/work.server.ts";
  const log = createLog("info");
  const requests = createRequests(createCurrentWork(), { log: createLog("silent"), ...NO_TELEMETRY, sample: 1 });
  const safety = createRequestSafety(log, requests);
  process.on("uncaughtException", safety.onUncaught);
  const fail = () => { throw new Error("a bug"); };
  const answers = {
    "/thrown": fail,
    "/later": () => setTimeout(fail, 1),
    "/rejected": async () => fail(),
    "/rejected-later": async () => { await new Promise(setImmediate); fail(); },
    "/stream": (request, response) => createReadStream("/nowhere").pipe(response),
    "/after-headers": (request, response) => { response.setHeader("X-Secret", "1"); fail(); },
    "/half": (request, response) => { response.writeHead(200, { "Content-Length": 9 }).write("half"); setTimeout(fail, 1); },
    "/after-the-answer": (request, response) => { response.end("whole"); setTimeout(fail, 1); },
    "/fine": (request, response) => response.end("fine"),
  };
  const server = createServer(safety.guard((request, response, notes) => {
    notes.route = request.url;
    answers[request.url](request, response);
  }));
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

const child = spawn(process.execPath, ["--input-type=module", "-e", PROCESS], {
  stdio: ["ignore", "pipe", "inherit"],
});
const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
let origin: string;

beforeAll(async () => {
  origin = `http://127.0.0.1:${(await lines.next()).value}`;
});

afterAll(async () => {
  child.kill();
  await once(child, "exit");
});

const logged = async () => JSON.parse((await lines.next()).value ?? "");

test.each(["/thrown", "/later", "/rejected", "/rejected-later", "/stream", "/after-headers"])(
  "%s is answered with a plain 500, noted under its id, and the next request is served",
  async (path) => {
    const response = await fetch(origin + path);
    expect([response.status, await response.text()]).toEqual([500, "Unexpected Application Error!"]);
    expect(response.headers.get("x-secret")).toBeNull();
    const line = await logged();
    expect(line).toMatchObject({ level: "error", method: "GET", route: path, error: { type: "Error" } });
    expect(response.headers.get("x-request-id")).toBe(line.id);
    expect(await (await fetch(`${origin}/fine`)).text()).toBe("fine");
  },
);

test("half an answer is not taken for a whole one, and a whole one is left alone", async () => {
  await expect(fetch(`${origin}/half`).then((response) => response.text())).rejects.toThrow();
  expect(await logged()).toMatchObject({ route: "/half" });
  expect(await (await fetch(`${origin}/after-the-answer`)).text()).toBe("whole");
  expect(await logged()).toMatchObject({ route: "/after-the-answer" });
  expect(child.exitCode).toBeNull();
});
