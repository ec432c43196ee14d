import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProxyOptions, RunningProxy } from "./proxy.ts";

const SAMPLE = join(import.meta.dirname, "../../../deploy/nginx/site.conf");
/** From this version on HTTP/2 is a directive of its own. */
const HTTP2_DIRECTIVE = [1, 25, 1];

const LOGS = ["ownwords.log", "ownwords-error.log"];

/** nginx with deploy/nginx/site.conf: as it stands, except for ports, folders and the certificate. */
export function startNginx({ folder, port, plainPort, upstreams }: ProxyOptions): RunningProxy {
  const version = /nginx\/([\d.]+)/.exec(
    execFileSync("sh", ["-c", "nginx -v 2>&1"], { encoding: "utf8" }),
  )?.[1];
  console.log(`nginx ${version}`);
  const sample = readFileSync(SAMPLE, "utf8")
    .replaceAll(
      /listen (\[::\]:)?(80|443)/g,
      (_, v6 = "", kind) => `listen ${v6}${kind === "80" ? plainPort : port}`,
    )
    .replaceAll("example.com", "localhost")
    .replaceAll("/etc/ssl/ownwords/", `${folder}/`)
    .replaceAll("/var/lib/nginx/", `${folder}/cache-`)
    .replaceAll("/var/log/nginx/", `${folder}/`)
    .replace(/server 127\.0\.0\.1:3000 (.*)/, (_, options) =>
      upstreams.map((upstream) => `server 127.0.0.1:${upstream} ${options}`).join("\n"),
    )
    .replace(/http2 on;/, isBefore(version ?? "", HTTP2_DIRECTIVE) ? "" : "http2 on;");
  for (const name of ["body", "proxy", "fastcgi", "uwsgi", "scgi"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "site.conf"), sample);
  const file = join(folder, "nginx.conf");
  writeFileSync(file, mainConfig(folder));
  // As an operator does before a reload.
  execFileSync("nginx", ["-t", "-q", "-p", folder, "-c", file], { stdio: "inherit" });
  const child = spawn("nginx", ["-p", folder, "-c", file, "-e", "stderr"], { stdio: "inherit" });
  return { child, readLog: () => LOGS.map((name) => readFileSync(join(folder, name), "utf8")).join("\n") };
}

/** Debian's nginx.conf around a site. */
function mainConfig(folder: string): string {
  const temporary = ["client_body_temp_path body", "proxy_temp_path proxy", "fastcgi_temp_path fastcgi"];
  return `
daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 2;
pid ${folder}/nginx.pid;
events {}
http {
  ${[...temporary, "uwsgi_temp_path uwsgi", "scgi_temp_path scgi"].map((line) => `${line.replace(" ", ` ${folder}/`)};`).join("\n  ")}
  include ${folder}/site.conf;
}`;
}

function isBefore(version: string, least: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of least.entries()) {
    const has = parts[index] ?? 0;
    if (has !== wanted) return has < wanted;
  }
  return false;
}
