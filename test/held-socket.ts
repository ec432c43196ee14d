import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { databaseSettings } from "./database.ts";
import { eventually } from "./http.ts";
import { AUTH_SECRET } from "./server.ts";

/** As systemd does: only the process itself knows its id. */
const START = `LISTEN_PID=$$ exec "${process.execPath}" build/server/index.js`;
/** Holds the socket, and starts the site again whenever it has ended. */
const KEEPER = `while :; do sh -c '${START}' & echo "pid $!"; wait $!; done`;

export interface HeldSocket {
  port: string;
  /** The id of the serving process. */
  pid(): number;
  /** Resolves when the site has reported that it is ready this many times. */
  readyTimes(times: number): Promise<void>;
  /** A signal to end, and what comes after it is ready. */
  restart(): Promise<void>;
  /** Ends the site and lets the socket go. */
  end(): Promise<void>;
}

/**
 * The site in a process that is given its socket, as ownwords.socket of deploy/systemd gives it: what holds the socket
 * stays while processes come and go.
 */
export async function holdSocket(env: Record<string, string>): Promise<HeldSocket> {
  const held = createServer().listen(Number(env.PORT ?? 0), "127.0.0.1");
  await once(held, "listening");
  const port = String((held.address() as AddressInfo).port);
  const { fd } = (held as unknown as { _handle: { fd: number } })._handle;
  const url = env.DATABASE_URL ?? "";
  const child = spawn("sh", ["-c", KEEPER], {
    cwd: join(import.meta.dirname, ".."),
    stdio: ["ignore", "pipe", "inherit", fd],
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      AUTH_SECRET,
      LOG_LEVEL: "error",
      SANDBOX_STRIPE_PORT: "0",
      PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
      TRUSTED_PROXIES: "loopback",
      ...env,
      // An address that it could not have: the socket alone counts.
      PORT: "1",
      LISTEN_FDS: "1",
      ...databaseSettings(url),
    },
  });
  // Or this process would take the connections as well.
  held.close();
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  const endWithTest = () => stop("SIGKILL");
  process.once("exit", endWithTest);

  const timesReady = () => printed.match(/^ready on /gm)?.length ?? 0;
  const pids = () => [...printed.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
  const readyTimes = async (times: number) => {
    await eventually(async () => timesReady() >= times, "the site is ready");
  };
  return {
    port,
    pid: () => pids().at(-1) ?? 0,
    readyTimes,
    async restart() {
      const times = timesReady();
      process.kill(pids().at(-1) ?? 0, "SIGTERM");
      await readyTimes(times + 1);
    },
    async end() {
      process.off("exit", endWithTest);
      stop("SIGTERM");
      await once(child, "close");
    },
  };

  /** The keeper first, so that it starts no other. */
  function stop(signal: NodeJS.Signals): void {
    child.kill("SIGKILL");
    const pid = pids().at(-1);
    if (pid) process.kill(pid, signal);
  }
}
