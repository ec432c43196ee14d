import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEnv } from "node:util";
import { siteUrlOf } from "../app/db/embedded.server.ts";
import { findHome } from "../app/db/embedded-home.server.ts";
import { databaseFolder } from "./cluster.ts";
import { endProcess } from "./server.ts";

const PROGRAMS = { etcd: "etcd-server", patroni: "patroni", haproxy: "haproxy", pgbouncer: "pgbouncer" };
const SERVERS = "/usr/lib/postgresql";
const NODES = ["db1", "db2", "db3"] as const;
/** The oldest PgBouncer, 1.N, that supports prepared statements. */
const PREPARES_SINCE = 21;

type Node = (typeof NODES)[number];

interface Member {
  name: Node;
  role: string;
  state: string;
}

export type HaCluster = Awaited<ReturnType<typeof openHaCluster>>;

/** What to install, in a line; `null` when nothing is missing. */
export function missingPackages(): string | null {
  const isThere = (program: string) =>
    `${process.env.PATH}:/usr/sbin`.split(":").some((folder) => existsSync(join(folder, program)));
  const missing = Object.entries(PROGRAMS).flatMap(([program, name]) => (isThere(program) ? [] : name));
  if (!existsSync("/usr/lib/python3/dist-packages/etcd")) missing.push("python3-etcd");
  if (!existsSync(SERVERS)) missing.push("postgresql");
  return missing.length > 0
    ? `Install what is missing, on Debian or Ubuntu: apt-get install --yes ${missing.join(" ")}`
    : null;
}

/**
 * The recipe of docs/operate.md (deploy/ha) on its own loopback addresses: three etcd and three PostgreSQL under Patroni, HAProxy
 * and PgBouncer. All end with this process.
 */
export async function openHaCluster() {
  const folder = mkdtempSync(join(databaseFolder(), "ha-"));
  const { owner } = await findHome(join(folder, "home"), () => {});
  const [net, password] = [`127.${randomInt(1, 255)}.${randomInt(1, 255)}`, randomBytes(16).toString("hex")];
  const children = new Map<string, ChildProcess>();
  for (const node of NODES) mkdirSync(join(folder, node, "etcd"), { recursive: true, mode: 0o700 });
  if (owner) execFileSync("chown", ["--recursive", `${owner.uid}:${owner.gid}`, folder]);

  for (const node of NODES)
    run(`etcd ${node}`, "etcd", [], { ...parseEnv(configOf("etcd.env", node)), ETCD_LOG_LEVEL: "error" });
  for (const node of NODES) startPatroni(node);
  run("haproxy", "haproxy", ["-db", "-f", write("haproxy.cfg", configOf("haproxy.cfg"))]);
  /** Leads to the primary, as the owner of the tables. */
  const ownerUrl = (database: string) => `postgres://postgres:${password}@${net}.9:5000/${database}`;
  const site = new URL(siteUrlOf(ownerUrl("")));
  write("userlist.txt", `"site" "${site.password}"\n`);
  run("pgbouncer", "pgbouncer", [write("pgbouncer.ini", configOf("pgbouncer.ini"))]);
  await untilWhole(90).catch(async (error) => {
    await close();
    throw error;
  });

  return {
    ownerUrl,
    /** As the site's role: by HAProxy, or by PgBouncer and HAProxy. */
    siteUrl: (database: string, isPooled: boolean) =>
      Object.assign(new URL(siteUrlOf(ownerUrl(database))), isPooled && { port: "6432" }).href,
    /** Ends the primary and its Patroni with SIGKILL. @returns what starts that server again */
    async killPrimary() {
      const primary = nameOf(await members(), "leader");
      const server = postmasterOf(primary);
      children.get(primary)?.kill("SIGKILL");
      if (server) process.kill(server, "SIGKILL");
      return () => startPatroni(primary);
    },
    /** Makes the synchronous standby the primary. */
    async switchOver(): Promise<void> {
      const all = await members();
      const leader = nameOf(all, "leader");
      const answer = await fetch(`${apiOf(leader)}/switchover`, {
        method: "POST",
        body: JSON.stringify({ leader, candidate: nameOf(all, "sync_standby") }),
      });
      if (!answer.ok) throw new Error(`no switchover: ${await answer.text()}`);
    },
    /** Stops the standbys with SIGSTOP. @returns what lets them go on */
    async freezeStandbys() {
      const standbys = (await members()).filter(({ role }) => role !== "leader");
      const pids = standbys.flatMap(({ name }) => {
        const server = postmasterOf(name);
        const backends = execFileSync("pgrep", ["-P", String(server)], { encoding: "utf8" });
        return [children.get(name)?.pid ?? server, server, ...backends.trim().split("\n").map(Number)];
      });
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      const resume = () => {
        for (const pid of pids) if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGCONT");
      };
      // Stopped processes could not end.
      process.once("exit", resume);
      return resume;
    },
    untilWhole,
    [Symbol.asyncDispose]: close,
  };

  /** A file of deploy/ha with this cluster's addresses, folders and passwords. */
  function configOf(file: string, node: Node = "db1"): string {
    const [version] = readdirSync(SERVERS).sort((a, b) => Number(b) - Number(a));
    const text = readFileSync(join(import.meta.dirname, "../deploy/ha", file), "utf8")
      .replaceAll("127.0.0.1:", `${net}.9:`)
      .replaceAll(/= 127\.0\.0\.1$/gm, `= ${net}.9`)
      .replaceAll("host=127.0.0.1", `host=${net}.9`)
      .replaceAll("10.0.0.0/24", "127.0.0.0/8")
      .replaceAll("10.0.0.", `${net}.`)
      .replaceAll(/(NAME=|^name: )db1/gm, `$1${node}`)
      .replaceAll(
        /((?:URLS=http:\/\/|listen: |connect_address: )127\.\d+\.\d+\.)1(?=:)/g,
        `$1${node.slice(2)}`,
      )
      .replaceAll(/\/var\/lib\/etcd\/\w+/g, join(folder, node, "etcd"))
      .replaceAll(/data_dir: .*/g, `data_dir: ${join(folder, node, "data")}`)
      .replaceAll(/bin_dir: .*/g, `bin_dir: ${SERVERS}/${version}/bin`)
      .replaceAll("/var/run/postgresql", join(folder, node))
      .replaceAll("/etc/pgbouncer", folder)
      .replaceAll("SUPERUSER_PASSWORD", password)
      .replaceAll("REPLICATION_PASSWORD", password);
    if (file !== "pgbouncer.ini" || minorOf("pgbouncer") >= PREPARES_SINCE) return text;
    // Without prepared statements a server connection belongs to one client.
    return text
      .replace(/max_prepared_statements.*/, "")
      .replace("= transaction", "= session")
      .replace(/(default_pool_size =).*/, "$1 150");
  }

  function startPatroni(node: Node): void {
    run(node, "patroni", [write(`${node}.yml`, configOf("patroni.yml", node))]);
  }

  /** The program is signaled when this process ends, even by SIGKILL. */
  function run(name: string, program: string, args: string[], env: NodeJS.Dict<string> = {}): void {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn("setpriv", ["--pdeathsig", "TERM", "--", program, ...args], {
      ...owner,
      cwd: folder,
      env: { PATH: `${process.env.PATH}:/usr/sbin`, LC_ALL: "C.UTF-8", ...env },
      stdio: ["ignore", log, log],
    });
    children.set(name, child);
  }

  function write(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  function apiOf(node: Node): string {
    return `http://${net}.${node.slice(2)}:8008`;
  }

  function postmasterOf(node: Node): number {
    return Number(readFileSync(join(folder, node, "data/postmaster.pid"), "utf8").split("\n")[0]);
  }

  /** According to the first node that answers. */
  async function members(): Promise<Member[]> {
    for (const node of NODES) {
      const asked = fetch(`${apiOf(node)}/cluster`, { signal: AbortSignal.timeout(2_000) });
      const answer = await asked.catch(() => null);
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members;
    }
    return [];
  }

  /** Waits until there are a primary, a synchronous standby and another. */
  async function untilWhole(seconds: number): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
      const all = (await members()).filter(({ state }) => ["running", "streaming"].includes(state));
      const roles = all.map(({ role }) => role).toSorted();
      if (roles.join() === "leader,replica,sync_standby") return;
      if (Date.now() > deadline)
        throw new Error(`after ${seconds} s there are: ${roles.join(", ") || "none"}`);
      await sleep(250);
    }
  }

  /** Patroni ends its PostgreSQL, and needs etcd for that. */
  async function close(): Promise<void> {
    for (const names of [/^(?!etcd)/, /^etcd/]) {
      const ending = [...children].flatMap(([name, child]) => (names.test(name) ? child : []));
      const isEnded = Promise.all(ending.map((child) => endProcess(child)));
      await Promise.race([isEnded, sleep(20_000, undefined, { ref: false })]);
      for (const child of ending) await endProcess(child, "SIGKILL");
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

function nameOf(all: readonly Member[], role: string): Node {
  const found = all.find((member) => member.role === role);
  if (!found) throw new Error(`there is no ${role}`);
  return found.name;
}

/** Of "PgBouncer 1.18.0": 18. */
function minorOf(program: string): number {
  return Number(/ 1\.(\d+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1]);
}
