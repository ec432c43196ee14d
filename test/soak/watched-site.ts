import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../app/db/embedded.server.ts";
import { control } from "../http.ts";
import { openSite } from "../running-site.ts";
import { startSmtpServer } from "../smtp.ts";

/** Enough for a site, and quickly filled. */
const DISK_MEGABYTES = 1_500;
/** Its processes. */
export const WEB = 0;
export const WORKER = 1;

export type WatchedSite = Awaited<ReturnType<typeof openWatchedSite>>;

/** A web process and a worker with metrics, a database, a mail server and a small disk: everything that can fail. */
export async function openWatchedSite() {
  if (process.getuid?.() !== 0) throw new Error("only root can make the small disk that is filled here");
  const dataDir = mkdtempSync(join(tmpdir(), "watched-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MEGABYTES}m`, "tmpfs", dataDir]);
  const takeMail = (port?: number) =>
    startSmtpServer({ onRcptTo: ({ address }, _session, done) => done(refusalOf(address)) }, port);
  let mailServer = await takeMail();
  const mailPort = Number(new URL(mailServer.url).port);
  const metricsPorts = [String(await freePort()), String(await freePort())];
  const [webMetrics = "", workerMetrics = ""] = metricsPorts;
  const site = await openSite(
    [
      { ROLE: "web", METRICS_PORT: webMetrics },
      { ROLE: "worker", METRICS_PORT: workerMetrics },
    ],
    {
      // Not the mounted folder itself, which cannot be removed with the site's files.
      DATA_DIR: join(dataDir, "kept"),
      SMTP_URL: mailServer.url,
      // Few enough to be exhausted.
      DATABASE_POOL_SIZE: "4",
      DATABASE_TIMEOUT_SECONDS: "5",
      LOG_LEVEL: "warn",
    },
  );
  // The first start had Stripe's sandbox send its events. The watched process has received none.
  await control(site, { webhooks: "hold" });
  await site.end(WEB);
  await site.start(WEB);

  return {
    ...site,
    dataDir,
    metricsPorts,
    mail: {
      end: () => mailServer.close(),
      begin: async () => {
        mailServer = await takeMail(mailPort);
      },
    },
    async [Symbol.asyncDispose]() {
      await mailServer.close().catch(() => {});
      await site.close();
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
