import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../app/db/embedded.server.ts";
import { initializeOnce, urlOf } from "../../app/db/embedded-cluster.server.ts";
import type { PostgresHome } from "../../app/db/embedded-home.server.ts";
import { eventually } from "../http.ts";
import { spawnServer, startProcess } from "../server.ts";
import { BOTH_LEASES, dashboard, end, hasRow, redeem, refuses, setupDataDir } from "./data-dir.fixture.ts";

const data = setupDataDir();

const homeIn = (dataDir: string): PostgresHome => {
  const folder = join(dataDir, "postgres");
  return { folder, cluster: join(folder, "cluster"), logFile: join(folder, "postgres.log"), owner: null };
};

test("Ctrl-C ends the server and its database; the next start has everything", async () => {
  const first = await spawnServer({ DATA_DIR: data.dir });
  const cookie = await redeem(first.origin);
  expect(existsSync(data.postmasterPid())).toBe(true);
  first.child.kill("SIGINT");
  expect(await once(first.child, "exit")).toEqual([0, null]);
  expect(existsSync(data.postmasterPid())).toBe(false);

  const second = await spawnServer({ DATA_DIR: data.dir });
  expect(await dashboard(second.origin, cookie)).toContain("PREMIUM3");
  await end(second.child);
});

test("two processes share one database, start it again when it is killed, and the last one out stops it", async () => {
  const [one, two] = await Promise.all([
    spawnServer({ DATA_DIR: data.dir }),
    spawnServer({ DATA_DIR: data.dir }),
  ]);
  const cookie = await redeem(one.origin);
  const written = () => {
    // It comes and goes while the new server waits for what is left of the old one.
    const text = existsSync(data.postmasterPid()) ? readFileSync(data.postmasterPid(), "utf8") : "";
    const [pid, , , port] = text.split("\n");
    return { pid, port };
  };
  const before = written();
  process.kill(Number(before.pid), "SIGKILL");
  await eventually(async () => ![before.pid, ""].includes(written().pid), "it is started again");
  for (const { origin } of [one, two]) {
    const recovers = async () => (await dashboard(origin, cookie)).includes("PREMIUM3");
    await eventually(recovers, "the server recovers");
    await eventually(async () => (await fetch(`${origin}/readyz`)).status === 200, "the server is ready");
  }
  expect(written().port).toBe(before.port);
  const url = urlOf(homeIn(data.dir), Number(before.port));
  await eventually(() => hasRow(url, BOTH_LEASES), "both leases are taken again");
  await end(one.child);
  expect(await dashboard(two.origin, cookie)).toContain("PREMIUM3");
  await end(two.child);
  expect(existsSync(data.postmasterPid())).toBe(false);
});

test("what a first start left that was killed long ago is swept; what one is still making is not", async () => {
  const home = homeIn(data.dir);
  const { folder } = home;
  for (const name of ["cluster", "cluster.1.new", "cluster.1.old"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "cluster.1.old.password"), "secret");
  for (const name of ["cluster.1.old", "cluster.1.old.password"]) utimesSync(join(folder, name), 0, 0);
  await initializeOnce(home);
  expect(readdirSync(folder).sort()).toEqual(["cluster", "cluster.1.new"]);
});

test("a signal in the middle of starting leaves nothing running", async () => {
  // Where in the start the signal comes is the subject: before there is a database, while it is made, while it starts.
  for (const delay of [50, 500, 1100]) {
    const port = String(await freePort());
    const child = startProcess({ DATA_DIR: data.dir, PORT: port, LOG_LEVEL: "silent" });
    await new Promise((resolve) => setTimeout(resolve, delay));
    child.kill("SIGTERM");
    await once(child, "exit");
    await eventually(async () => !existsSync(data.postmasterPid()), "the database is down");
    expect(await refuses(`http://127.0.0.1:${port}`)).toBe(true);
  }
  const { child } = await spawnServer({ DATA_DIR: data.dir });
  await end(child);
});

test("a setting that is wrong ends the start with its name", async () => {
  const child = startProcess({
    NODE_ENV: "production",
    DATA_DIR: data.dir,
    PUBLIC_ORIGIN: "https://own.example",
  });
  let printed = "";
  child.stderr.on("data", (chunk) => {
    printed += chunk;
  });
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(printed).toContain("AUTH_SECRET: must be set");
});
