import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort } from "../../app/db/embedded.server.ts";
import packageJson from "../../package.json" with { type: "json" };
import { createDatabase, databaseSettings } from "../database.ts";
import { eventually } from "../http.ts";
import { AUTH_SECRET } from "../server.ts";
import { unlike } from "./report.ts";

const IMAGE = "ownwords-soak";
const CONTAINER = "ownwords-soak-site";
const COMMAND = "node build/server/index.js";
/** Read-only and without any right of root, as deploy/compose.yml has it. */
const HARDENED =
  "--read-only --read-only-tmpfs=false --tmpfs /tmp --cap-drop all --security-opt no-new-privileges";
/** Files of tests and tools, sources of bundled pages, and what may hold a secret. */
const UNWANTED =
  /\.(test|fixture|spec)\.\w+$|\.tsx$|(^|\/)\.env|\.(pem|key)$|(^|\/)(test|bench|sandbox|docs)\/|\/sandbox-[^/]*\.js$/;
/** The commands that could not start, because something they import is missing. */
const UNSTARTABLE =
  "for file in bin/*.ts app/account/photo/encoder.ts; do timeout 20 node $file 2>&1 | grep -q ERR_MODULE_NOT_FOUND && echo $file; done; true";

/**
 * Builds the image from the Dockerfile, looks at what is in it, migrates a database by one container and serves by another,
 * without any rights. Needs Podman.
 *
 * @returns a line for each difference
 */
export async function image(): Promise<string[]> {
  // Only this format has health checks.
  await podman("build", "--network", "host", "--format", "docker", "--tag", IMAGE, ".");
  return [...(await inspect()), ...(await serve())];
}

async function podman(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("podman", args, { maxBuffer: 64 * 1024 ** 2 });
  return stdout.trim();
}

async function inspect(): Promise<string[]> {
  const [{ Size, Config, Healthcheck }] = JSON.parse(await podman("image", "inspect", IMAGE));
  console.log(`the image: ${Math.round(Size / 1e6)} MB`);
  const inside = async (script: string) => {
    const options = "run --rm --user 0 --network none".split(" ");
    return (await podman(...options, IMAGE, "sh", "-c", script)).split("\n").filter(Boolean);
  };
  const files = await inside("find . -path ./node_modules -prune -o -type f -print");
  const packages = new Set(await inside("cd node_modules && ls -d * @*/*"));
  const changeable = await inside(String.raw`find . -type f \( ! -uid 0 -o -perm /022 \)`);
  const unstartable = await inside(UNSTARTABLE);
  return [
    ...files.filter((file) => UNWANTED.test(file)).map((file) => `${file} is in the image`),
    ...Object.keys(packageJson.devDependencies)
      .filter((name) => packages.has(name))
      .map((name) => `${name}, a development dependency, is in the image`),
    ...changeable.map((file) => `${file} can be changed by the site`),
    ...unstartable.map((file) => `${file} imports what is not in the image`),
    ...unlike({
      "the user of the image": [Config.User, "1000:1000"],
      "what it starts": [Config.Cmd.join(" "), COMMAND],
      "whether it has a health check": [Boolean(Healthcheck), true],
    }),
  ];
}

/** The migrations by a container with the owner's role, then one without it that serves until SIGTERM. */
async function serve(): Promise<string[]> {
  const database = await createDatabase();
  const { DATABASE_URL, DATABASE_OWNER_URL } = databaseSettings(database.url);
  const port = String(await freePort());
  const settings = { DATABASE_URL, AUTH_SECRET, PUBLIC_ORIGIN: `http://localhost:${port}`, PORT: port };
  const run = (options: string, env: Record<string, string>, ...command: string[]) => {
    const given = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    return podman("run", "--network", "host", ...options.split(" "), ...given, IMAGE, ...command);
  };
  try {
    const migrated = await run("--rm", { ...settings, DATABASE_OWNER_URL }, "node", "bin/migrate.ts");
    console.log(migrated.split("\n").at(-1));
    await run(`--detach --name ${CONTAINER} ${HARDENED}`, { ...settings, LOG_LEVEL: "error" });
    const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok);
    await eventually(() => isReady().catch(() => false), "the container is ready");
    await podman("healthcheck", "run", CONTAINER);
    const differences = await lookInside();
    await podman("stop", "--time", "30", CONTAINER);
    const code = await podman("inspect", "--format", "{{.State.ExitCode}}", CONTAINER);
    return [...differences, ...unlike({ "its code at SIGTERM": [code, "0"] })];
  } finally {
    await podman("rm", "--force", "--ignore", "--time", "30", CONTAINER);
    await database.drop();
  }
}

/** Inspects the process and its permissions. */
async function lookInside(): Promise<string[]> {
  const look =
    "id --user; tr '\\0' ' ' < /proc/1/cmdline; echo; grep -E '^(CapEff|NoNewPrivs)' /proc/1/status | tr -s '\\t\\n' ' '; echo; " +
    "for file in /new /srv/ownwords/new /srv/ownwords/package.json; do (echo >> $file) 2>/dev/null && echo $file; done; true";
  const [user, command, rights, ...written] = (await podman("exec", CONTAINER, "sh", "-c", look)).split("\n");
  console.log(`user ${user}; process 1: ${command}; ${rights}; files it could write: ${written.length}`);
  return [
    ...unlike({
      "the user it runs as": [user, "1000"],
      "the first process": [command?.trim(), COMMAND],
      "its rights": [rights?.replace(/0+/, "0").trim(), "CapEff: 0 NoNewPrivs: 1"],
    }),
    ...written.map((file) => `it could write ${file}`),
  ];
}
