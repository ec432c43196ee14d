import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../app/db/embedded.server.ts";
import { createDatabase, databaseSettings } from "../../database.ts";
import { AUTH_SECRET } from "../../server.ts";
import { openBalancer } from "../upgrade/balancer.ts";
import { makeBaseImage } from "./base-image.ts";
import { inspectContents } from "./contents.ts";
import { openPodman, type Podman, ulimits } from "./podman.ts";

const ROOT = join(import.meta.dirname, "../../..");
const IMAGE = "ownwords";
/** Requests on their way at a time. */
const AT_ONCE = 20;
const PATHS = ["/", "/pricing", "/login", "/register", "/waitlist", "/forgot-password"];
/** Read-only, without any right of root, and started again whenever it ends, as deploy/compose.yml has it. */
const HARDENED = [
  ...["--read-only", "--read-only-tmpfs=false", "--tmpfs", "/tmp", "--cap-drop", "all"],
  ...["--security-opt", "no-new-privileges", "--restart", "always", "--network", "host"],
];

/**
 * Builds the image from the Dockerfile in a clean root, lists what is in it, and runs two containers of it: replaced while
 * requests come in, and killed. Needs root, podman, runc and debootstrap.
 *
 * @param requests how many are sent while the containers are replaced
 * @returns a line for each difference
 */
export async function image(requests: number): Promise<string[]> {
  // With IMAGE_FOLDER the results stay there, and the next run is faster.
  const kept = process.env.IMAGE_FOLDER;
  const folder = kept ?? mkdtempSync(join(tmpdir(), "image-"));
  mkdirSync(folder, { recursive: true });
  const podman = openPodman(folder);
  try {
    await build(podman, folder);
    return [
      ...(await inspect(podman)),
      ...(await withContainers(podman, (site) => exercise(podman, site, requests))),
    ];
  } finally {
    await podman("rm", "--all", "--force", "--time", "0");
    if (!kept) {
      await podman("rmi", "--all", "--force");
      // Podman leaves its store mounted onto itself.
      spawnSync("umount", [join(folder, "store/overlay")]);
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function build(podman: Podman, folder: string): Promise<void> {
  const since = Date.now();
  const bases = await podman("images", "--quiet", "docker.io/library/node");
  if (!bases) await makeBaseImage(podman, folder);
  console.log(`Debian 13 with Node ${process.version}: ${seconds(since)} s`);
  const building = Date.now();
  const options = ["--pull=never", "--network", "host", "--format", "docker", "--layers", ...ulimits()];
  await podman("build", ...options, "--tag", IMAGE, ROOT);
  console.log(`podman build: ${seconds(building)} s`);
}

async function inspect(podman: Podman): Promise<string[]> {
  const [config] = JSON.parse(await podman("image", "inspect", IMAGE)) as ImageDescription[];
  const base = JSON.parse(await podman("image", "inspect", "docker.io/library/node:26-trixie-slim"));
  if (!config) throw new Error("there is no image");
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  console.log(
    `the image: ${megabytes(config.Size)}, of which ${megabytes(base[0].Size)} are Debian and Node`,
  );
  const root = await podman("image", "mount", IMAGE);
  const differences = inspectContents(root);
  await podman("image", "unmount", IMAGE);
  return [
    ...differences,
    ...(config.Config.User === "1000:1000" ? [] : [`it runs as ${config.Config.User}`]),
    ...(config.Config.Cmd.join(" ") === "node build/server/index.js"
      ? []
      : [`it starts ${config.Config.Cmd}`]),
    ...(config.Healthcheck ? [] : ["it has no health check"]),
  ];
}

interface ImageDescription {
  Size: number;
  Config: { User: string; Cmd: string[] };
  Healthcheck?: object;
}

interface Containers {
  /** The balancer's URL. */
  origin: string;
  ports: readonly [string, string];
  balancer: Awaited<ReturnType<typeof openBalancer>>;
}

const nameOf = (port: string) => `site-${port}`;

/** The migrations by a container with the owner's role, then two without it, behind a balancer. */
async function withContainers(
  podman: Podman,
  work: (site: Containers) => Promise<string[]>,
): Promise<string[]> {
  const database = await createDatabase();
  const { DATABASE_URL, DATABASE_OWNER_URL } = databaseSettings(database.url);
  const port = String(await freePort());
  const ports = [String(await freePort()), String(await freePort())] as const;
  const settings = [
    ...["--env", `DATABASE_URL=${DATABASE_URL}`, "--env", `AUTH_SECRET=${AUTH_SECRET}`],
    ...["--env", `PUBLIC_ORIGIN=http://localhost:${port}`, "--env", "TRUSTED_PROXIES=loopback"],
    ...["--env", "LOG_LEVEL=error", ...ulimits()],
  ];
  const owner = ["--env", `DATABASE_OWNER_URL=${DATABASE_OWNER_URL}`];
  const migrating = [
    "run",
    "--rm",
    "--network",
    "host",
    ...settings,
    ...owner,
    IMAGE,
    "node",
    "bin/migrate.ts",
  ];
  console.log((await podman(...migrating)).split("\n").at(-1));
  for (const one of ports)
    await podman(
      "run",
      "--detach",
      "--name",
      nameOf(one),
      ...HARDENED,
      ...settings,
      "--env",
      `PORT=${one}`,
      IMAGE,
    );
  const balancer = await openBalancer(port, ports);
  try {
    for (const one of ports) await balancer.until(one, true);
    return await work({ origin: `http://localhost:${port}`, ports, balancer });
  } finally {
    balancer.close();
    await podman("rm", "--all", "--force", "--time", "30");
    await database.drop();
  }
}

async function exercise(podman: Podman, site: Containers, requests: number): Promise<string[]> {
  return [
    ...(await lookInside(podman, nameOf(site.ports[0]))),
    ...(await replaceUnderLoad(podman, site, requests)),
    ...(await killAndWait(podman, site)),
  ];
}

/** Inspects the process and its permissions. */
async function lookInside(podman: Podman, name: string): Promise<string[]> {
  const look =
    "id --user; tr '\\0' ' ' < /proc/1/cmdline; echo; grep -E '^(CapEff|NoNewPrivs)' /proc/1/status | tr -s '\\t\\n' ' '; echo; " +
    "for file in /new /srv/ownwords/new /srv/ownwords/server.ts; do (echo >> $file) 2>/dev/null && echo $file; done; true";
  const [user, command, rights, ...written] = (await podman("exec", name, "sh", "-c", look)).split("\n");
  console.log(`user ${user}; process 1: ${command}; ${rights}; files it could write: ${written.length}`);
  await podman("healthcheck", "run", name);
  return [
    ...(user === "1000" ? [] : [`it runs as user ${user}`]),
    ...(command?.trim() === "node build/server/index.js" ? [] : [`the first process is ${command}`]),
    ...(/CapEff: 0+ NoNewPrivs: 1/.test(rights ?? "") ? [] : [`its rights are ${rights}`]),
    ...written.map((file) => `it could write ${file}`),
  ];
}

/** Stops and starts one container after the other while requests come in: each must be answered in full. */
async function replaceUnderLoad(podman: Podman, site: Containers, requests: number): Promise<string[]> {
  const { origin, ports, balancer } = site;
  const failures: string[] = [];
  let sent = 0;
  let isReplaced = false;
  const clients = Array.from({ length: AT_ONCE }, async () => {
    while (sent < requests || !isReplaced) {
      const path = PATHS[sent++ % PATHS.length] ?? "/";
      const failure = await ask(origin + path);
      if (failure) failures.push(`${path}: ${failure}`);
      await sleep(50);
    }
  });
  const differences: string[] = [];
  for (const port of ports) {
    const since = Date.now();
    await podman("stop", "--time", "30", nameOf(port));
    const stopped = seconds(since);
    const code = await podman("inspect", "--format", "{{.State.ExitCode}}", nameOf(port));
    await podman("start", nameOf(port));
    await balancer.until(port, true);
    console.log(
      `${nameOf(port)}: SIGTERM, ended after ${stopped} s with ${code}, ready again after ${seconds(since)} s`,
    );
    if (code !== "0") differences.push(`${nameOf(port)} ended with ${code}`);
  }
  isReplaced = true;
  await Promise.all(clients);
  console.log(
    `${sent} requests while both were replaced, ${failures.length} failed (${balancer.answered()})`,
  );
  return [...differences, ...failures];
}

/** @returns what went wrong, if anything */
async function ask(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { redirect: "manual" });
    const body = await response.text();
    if (response.status !== 200) return `${response.status}`;
    return body.includes("</html>") ? null : "cut";
  } catch (error) {
    return String(error instanceof Error ? (error.cause ?? error) : error);
  }
}

/** `kill -9`, which nothing can prepare for: the restart policy starts it again. */
async function killAndWait(podman: Podman, { ports: [port] }: Containers): Promise<string[]> {
  const inspectState = () => podman("inspect", "--format", "{{.State.Pid}} {{.RestartCount}}", nameOf(port));
  const [pid = "", before] = (await inspectState()).split(" ");
  const since = Date.now();
  process.kill(Number(pid), "SIGKILL");
  for (;;) {
    const [now, restarts] = (await inspectState()).split(" ");
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (now !== pid && isReady) {
      console.log(`kill -9: ready again after ${seconds(since)} s, restarts ${before} → ${restarts}`);
      return [];
    }
    if (Date.now() - since > 60_000) return ["a container that was killed did not come back within a minute"];
    await sleep(100);
  }
}

const seconds = (since: number) => ((Date.now() - since) / 1000).toFixed(1);
