import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort, openEmbeddedPostgres } from "../../app/db/embedded.server.ts";
import { createDatabase } from "../database.ts";
import { eventually } from "../http.ts";
import { startProcess, untilReady } from "../server.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Answer {
  /** The status, or Node's code of what went wrong. */
  outcome: number | string;
  headers: IncomingHttpHeaders;
}

function ask(port: string, path: string, options: { agent?: Agent; host?: string } = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const { agent = new Agent(), host = "127.0.0.1" } = options;
    request({ host, port, path, agent }, (response) => {
      response.resume().once("end", () => {
        resolve({ outcome: response.statusCode ?? 0, headers: response.headers });
      });
    })
      .once("error", (error: NodeJS.ErrnoException) => resolve({ outcome: error.code ?? "", headers: {} }))
      .end();
  });
}

/** Asks one after another, over kept connections and new ones in turn, for as long as it is told to. */
function keepAsking(port: string, path: string) {
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: Answer[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) answers.push(await ask(port, path, answers.length % 2 ? { agent: kept } : {}));
    kept.destroy();
  })();
  return {
    answers,
    async stop() {
      isOver = true;
      await asking;
    },
  };
}

/** @returns whether there was anybody in the group */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

const outcomesOf = (answers: Answer[]) => [...new Set(answers.map(({ outcome }) => outcome))];

test("a process that starts or stops cuts off no request", async () => {
  const database = await createDatabase();
  const port = String(await freePort());
  const child = startProcess({
    DATABASE_URL: database.url,
    DRAIN_SECONDS: "60",
    PORT: port,
    HOST: "127.0.0.1",
  });
  const whileStarting = keepAsking(port, "/");
  await untilReady(child);
  await eventually(async () => whileStarting.answers.at(-1)?.outcome === 200, "it answers");
  await whileStarting.stop();
  // Refused before it has a socket; from then on there is an answer.
  expect(outcomesOf(whileStarting.answers).filter((outcome) => outcome !== "ECONNREFUSED")).toEqual([
    503, 200,
  ]);
  expect(whileStarting.answers.find(({ outcome }) => outcome === 503)?.headers["retry-after"]).toBe("1");

  const whileStopping = ["/", "/login", "/icon.svg"].map((path) => keepAsking(port, path));
  await eventually(
    async () => whileStopping.every(({ answers }) => answers.length > 4),
    "there is some load",
  );
  child.kill("SIGTERM");
  await eventually(async () => (await ask(port, "/readyz")).outcome === 503, "it says that it ends");
  const told = whileStopping.map(({ answers }) => answers.length);
  await eventually(
    async () => whileStopping.every(({ answers }, index) => answers.length > (told[index] ?? 0) + 2),
    "requests are still taken",
  );
  expect((await ask(port, "/healthz")).outcome).toBe(200);
  // As who sends requests does once it has seen /readyz.
  await Promise.all(whileStopping.map((load) => load.stop()));
  expect(outcomesOf(whileStopping.flatMap(({ answers }) => answers))).toEqual([200]);
  for (const { answers } of whileStopping) expect(answers.at(-1)?.headers.connection).toBe("close");
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended, "at once at the second signal").toEqual([1, null]);
  expect((await ask(port, "/")).outcome).toBe("ECONNREFUSED");
  await eventually(
    () =>
      database.drop().then(
        () => true,
        () => false,
      ),
    "its connections are gone",
  );
});

describe("npm start", () => {
  let folder: string;

  // Not in the project's own folder: it has no .env, and its build stays as the tests made it.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "npm-start-"));
    chmodSync(folder, 0o755);
    copyFileSync(join(ROOT, "package.json"), join(folder, "package.json"));
    for (const name of ["bin", "build", "node_modules"]) symlinkSync(join(ROOT, name), join(folder, name));
  });

  afterAll(async () => {
    if (existsSync(postmasterPid()))
      await (await openEmbeddedPostgres(join(folder, ".data"), () => {})).release();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Of what was started: a test that fails would leave it running, and npm's own end would not show it. */
  const groups: number[] = [];

  afterEach(async () => {
    for (const group of groups.splice(0)) {
      signalGroup(group, "SIGTERM");
      await eventually(async () => !signalGroup(group, 0), "nothing is left running");
    }
  });

  async function start(): Promise<{ npm: ChildProcess; port: string }> {
    const port = String(await freePort());
    writeFileSync(join(folder, ".env"), `PORT=${port}\nDRAIN_SECONDS=3\nPRODUCT_NAME=Elsewhere\n`);
    const npm = spawn("npm", ["start", "--ignore-scripts"], {
      cwd: folder,
      // A group of its own, as a terminal gives it.
      detached: true,
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: "pipe",
    });
    groups.push(npm.pid ?? 0);
    await untilReady(npm);
    return { npm, port };
  }

  const postmasterPid = () => join(folder, ".data", "postgres", "cluster", "postmaster.pid");

  async function expectEnd(npm: ChildProcess, port: string, signals: NodeJS.Signals[]): Promise<void> {
    expect(existsSync(postmasterPid())).toBe(true);
    const ended = once(npm, "exit");
    for (const signal of signals) {
      npm.kill(signal);
      await eventually(async () => (await ask(port, "/readyz")).outcome === 503, "it says that it ends");
    }
    expect((await ask(port, "/faq")).outcome).toBe(200);
    expect(await ended).toEqual([0, null]);
    expect((await ask(port, "/")).outcome).toBe("ECONNREFUSED");
    expect(existsSync(postmasterPid())).toBe(false);
  }

  test("reads .env, answers at both addresses of localhost and at no other, and ends with npm", async () => {
    const { npm, port } = await start();
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const hasIPv6 = addresses.some(({ address }) => address === "::1");
    for (const host of ["127.0.0.1", "localhost", ...(hasIPv6 ? ["::1"] : [])])
      expect([host, (await ask(port, "/healthz", { host })).outcome]).toEqual([host, 200]);
    for (const { address } of addresses.filter(({ internal, family }) => !internal && family === "IPv4"))
      expect([address, (await ask(port, "/", { host: address })).outcome]).toEqual([address, "ECONNREFUSED"]);
    expect(await (await fetch(`http://127.0.0.1:${port}/faq`)).text()).toContain("Elsewhere");
    await expectEnd(npm, port, ["SIGTERM"]);
  });

  test("takes a Ctrl-C, which comes twice, from the terminal and from npm, for one", async () => {
    const { npm, port } = await start();
    await expectEnd(npm, port, ["SIGINT", "SIGINT"]);
  });
});
