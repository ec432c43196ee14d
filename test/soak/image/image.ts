import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../app/db/embedded.server.ts";
import { createDatabase, databaseSettings } from "../../database.ts";
import { eventually } from "../../http.ts";
import { AUTH_SECRET } from "../../server.ts";
import { makeBaseImage, type Podman } from "./base-image.ts";
import { inspectContents } from "./contents.ts";

const ROOT = join(import.meta.dirname, "../../..");
const IMAGE = "ownwords";
const BASE = "docker.io/library/node:26-trixie-slim";
const COMMAND = "node build/server/index.js";
/** Read-only and without any right of root, as deploy/compose.yml has it. */
const HARDENED = [
  ...["--read-only", "--read-only-tmpfs=false", "--tmpfs", "/tmp", "--cap-drop", "all"],
  ...["--security-opt", "no-new-privileges", "--network", "host"],
];

/**
 * Builds the image from the Dockerfile in a clean root, lists what is in it, migrates a database by one container and serves by
 * another, without any rights. Needs root, podman, runc and debootstrap; in IMAGE_FOLDER the results stay for the next run.
 *
 * @returns a line for each difference
 */
export async function image(): Promise<string[]> {
  const kept = process.env.IMAGE_FOLDER;
  const folder = kept ?? mkdtempSync(join(tmpdir(), "image-"));
  mkdirSync(folder, { recursive: true });
  const podman = openPodman(folder);
  try {
    if (!(await podman("images", "--quiet", BASE))) await makeBaseImage(podman, folder, BASE);
    const options = ["--pull=never", "--network", "host", "--format", "docker", "--layers", ...ulimits()];
    await podman("build", ...options, "--tag", IMAGE, ROOT);
    return [...(await inspect(podman)), ...(await serve(podman))];
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

/** Podman with images and containers of its own below a folder: it reads the same Dockerfile as Docker, and needs no daemon. */
function openPodman(folder: string): Podman {
  const options = ["--root", join(folder, "store"), "--runroot", join(folder, "run")];
  // Those that work whatever a machine's systemd and cgroups are like.
  options.push("--cgroup-manager", "cgroupfs", "--runtime", "runc", "--log-level", "error");
  return async (...args) => {
    const { stdout } = await promisify(execFile)("podman", [...options, ...args], {
      maxBuffer: 64 * 1024 ** 2,
    });
    return stdout.trim();
  };
}

/** Podman's defaults are more than a machine may allow. */
function ulimits(): string[] {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, files] = /^Max open files\s+\S+\s+(\d+)/m.exec(limits) ?? [];
  return ["--ulimit", `nofile=${files}:${files}`, "--ulimit", "nproc=4096:4096"];
}

async function inspect(podman: Podman): Promise<string[]> {
  const [of] = JSON.parse(await podman("image", "inspect", IMAGE));
  const [base] = JSON.parse(await podman("image", "inspect", BASE));
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  console.log(`the image: ${megabytes(of.Size)}, of which ${megabytes(base.Size)} are Debian and Node`);
  const differences = inspectContents(await podman("image", "mount", IMAGE));
  await podman("image", "unmount", IMAGE);
  return [
    ...differences,
    ...(of.Config.User === "1000:1000" ? [] : [`it runs as ${of.Config.User}`]),
    ...(of.Config.Cmd.join(" ") === COMMAND ? [] : [`it starts ${of.Config.Cmd}`]),
    ...(of.Healthcheck ? [] : ["it has no health check"]),
  ];
}

/** The migrations by a container with the owner's role, then one without it that serves until SIGTERM. */
async function serve(podman: Podman): Promise<string[]> {
  const database = await createDatabase();
  const { DATABASE_URL, DATABASE_OWNER_URL } = databaseSettings(database.url);
  const port = String(await freePort());
  const settings = [
    ...["--env", `DATABASE_URL=${DATABASE_URL}`, "--env", `AUTH_SECRET=${AUTH_SECRET}`],
    ...["--env", `PUBLIC_ORIGIN=http://localhost:${port}`, "--env", `PORT=${port}`],
    ...["--env", "LOG_LEVEL=error", ...ulimits()],
  ];
  const owner = ["--env", `DATABASE_OWNER_URL=${DATABASE_OWNER_URL}`];
  const migrating = ["run", "--rm", "--network", "host", ...settings, ...owner, IMAGE];
  try {
    console.log((await podman(...migrating, "node", "bin/migrate.ts")).split("\n").at(-1));
    await podman("run", "--detach", "--name", "site", ...HARDENED, ...settings, IMAGE);
    const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok);
    await eventually(() => isReady().catch(() => false), "the container is ready");
    const differences = await lookInside(podman);
    await podman("stop", "--time", "30", "site");
    const code = await podman("inspect", "--format", "{{.State.ExitCode}}", "site");
    return code === "0" ? differences : [...differences, `at SIGTERM it ended with ${code}`];
  } finally {
    await podman("rm", "--all", "--force", "--time", "30");
    await database.drop();
  }
}

/** Inspects the process and its permissions. */
async function lookInside(podman: Podman): Promise<string[]> {
  const look =
    "id --user; tr '\\0' ' ' < /proc/1/cmdline; echo; grep -E '^(CapEff|NoNewPrivs)' /proc/1/status | tr -s '\\t\\n' ' '; echo; " +
    "for file in /new /srv/ownwords/new /srv/ownwords/server.ts; do (echo >> $file) 2>/dev/null && echo $file; done; true";
  const [user, command, rights, ...written] = (await podman("exec", "site", "sh", "-c", look)).split("\n");
  console.log(`user ${user}; process 1: ${command}; ${rights}; files it could write: ${written.length}`);
  await podman("healthcheck", "run", "site");
  return [
    ...(user === "1000" ? [] : [`it runs as user ${user}`]),
    ...(command?.trim() === COMMAND ? [] : [`the first process is ${command}`]),
    ...(/CapEff: 0+ NoNewPrivs: 1/.test(rights ?? "") ? [] : [`its rights are ${rights}`]),
    ...written.map((file) => `it could write ${file}`),
  ];
}
