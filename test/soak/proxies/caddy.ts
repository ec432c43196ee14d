import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProxyOptions, RunningProxy } from "./proxy.ts";

const SAMPLE = join(import.meta.dirname, "../../../deploy/caddy/Caddyfile");
/** Debian 13 has 2.6; set it to a newer one. */
const CADDY = process.env.CADDY ?? "caddy";

/** Caddy with deploy/caddy/Caddyfile: as it stands, except for ports and where it logs. */
export function startCaddy({ folder, port, plainPort, upstreams }: ProxyOptions): RunningProxy {
  console.log(`Caddy ${execFileSync(CADDY, ["version"], { encoding: "utf8" }).split(" ")[0]?.trim()}`);
  const logFile = join(folder, "caddy.log");
  const file = join(folder, "Caddyfile");
  const sample = readFileSync(SAMPLE, "utf8")
    .replace(/^\{$/m, `{\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tadmin off\n\tskip_install_trust`)
    .replace("output stdout", `output file ${logFile}`);
  writeFileSync(file, sample);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    UPSTREAMS: upstreams.map((upstream) => `127.0.0.1:${upstream}`).join(" "),
  };
  // As an operator does before a reload.
  execFileSync(CADDY, ["validate", "--adapter", "caddyfile", "--config", file], { env, stdio: "ignore" });
  const child = spawn(CADDY, ["run", "--adapter", "caddyfile", "--config", file], { env, stdio: "ignore" });
  return { child, readLog: () => readFileSync(logFile, "utf8") };
}
