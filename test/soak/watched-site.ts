import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { freePort } from "../../app/db/embedded.server.ts";
import { createDatabase, databaseSettings } from "../database.ts";
import { control } from "../http.ts";
import { AUTH_SECRET, endProcess, endServers, spawnServer } from "../server.ts";
import { startSmtpServer } from "../smtp.ts";

/** Enough for a site, and quickly filled. */
const DISK_MEGABYTES = 1_500;

type Role = "web" | "worker";

export type WatchedSite = Awaited<ReturnType<typeof openWatchedSite>>;

/** A web process and a worker with metrics, a database, a mail server and a small disk: everything that can fail. */
export async function openWatchedSite() {
  if (process.getuid?.() !== 0) throw new Error("only root can make the small disk that is filled here");
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url, max: 5 });
  pool.on("error", () => {});
  const dataDir = mkdtempSync(join(tmpdir(), "watched-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MEGABYTES}m`, "tmpfs", dataDir]);

  const [webPort, workerPort, stripePort, ...metricsPorts] = await Promise.all(
    Array.from({ length: 5 }, async () => String(await freePort())),
  );
  const takeMail = (port?: number) =>
    startSmtpServer({ onRcptTo: ({ address }, _session, done) => done(refusalOf(address)) }, port);
  let mailServer = await takeMail();
  const mailPort = Number(new URL(mailServer.url).port);
  const settings: Record<string, string> = {
    ...databaseSettings(database.url),
    AUTH_SECRET,
    DATA_DIR: dataDir,
    PUBLIC_ORIGIN: `http://127.0.0.1:${webPort}`,
    SMTP_URL: mailServer.url,
    // Few enough to be exhausted.
    DATABASE_POOL_SIZE: "4",
    DATABASE_TIMEOUT_SECONDS: "5",
    LOG_LEVEL: "warn",
  };
  const of = (role: Role) => ({
    ROLE: role,
    PORT: (role === "web" ? webPort : workerPort) ?? "",
    ...(role === "web" && { SANDBOX_STRIPE_PORT: stripePort ?? "" }),
    METRICS_PORT: metricsPorts[role === "web" ? 0 : 1] ?? "",
  });
  const children = new Map<Role, ChildProcess>();
  const begin = async (role: Role) => {
    const server = await spawnServer({ ...settings, ...of(role) });
    children.set(role, server.child);
    return server;
  };
  const end = async (role: Role, signal: NodeJS.Signals) => {
    const child = children.get(role);
    if (child) await endProcess(child, signal);
  };
  // The first start creates the payments sandbox and holds its events, so the watched process has received none.
  const first = await begin("web");
  await control(first, { webhooks: "hold" });
  await end("web", "SIGTERM");
  const web = await begin("web");
  await begin("worker");

  return {
    ...web,
    pool,
    dataDir,
    metricsPorts,
    end,
    database: new URL(database.url).pathname.slice(1),
    pidOf: (role: Role) => children.get(role)?.pid ?? 0,
    begin,
    mail: {
      end: () => mailServer.close(),
      begin: async () => {
        mailServer = await takeMail(mailPort);
      },
    },
    async stop() {
      await mailServer.close().catch(() => {});
      // Not `dataDir` itself: a mounted folder cannot be removed, and the processes use it until they have ended.
      await endServers([...children.values()], { pool, database, dataDir: join(dataDir, "kept") });
      execFileSync("umount", [dataDir]);
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** The answer of a mail server without this mailbox. */
function refusalOf(address: string): Error | null {
  if (!address.endsWith("@refused.example")) return null;
  return Object.assign(new Error("5.1.1 no such mailbox"), { responseCode: 550 });
}
