import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DEPLOY = join(import.meta.dirname, "../../../deploy");
/** Set it to a newer one than Debian’s 2.6, which answers a too large body with 502. */
const CADDY = process.env.CADDY ?? "caddy";

export interface ProxyOptions {
  /** For generated files; contains fullchain.pem and privkey.pem. */
  folder: string;
  /** With TLS. */
  port: string;
  /** Without. */
  plainPort: string;
  /** The ports of the site's processes. */
  upstreams: readonly string[];
}

export interface RunningProxy {
  child: ChildProcess;
  readLog(): string;
}

/** nginx with deploy/nginx/site.conf: as it stands, except for ports, folders and the certificate. */
export function startNginx({ folder, port, plainPort, upstreams }: ProxyOptions): RunningProxy {
  const said = execFileSync("sh", ["-c", "nginx -v 2>&1"], { encoding: "utf8" });
  const version = /nginx\/([\d.]+)/.exec(said)?.[1] ?? "";
  console.log(`nginx ${version}`);
  const hasHttp2Directive = version.localeCompare("1.25.1", "en", { numeric: true }) >= 0;
  const site = readFileSync(join(DEPLOY, "nginx/site.conf"), "utf8")
    .replaceAll(/listen (\[::\]:)?80/g, `listen $1${plainPort}`)
    .replaceAll(/listen (\[::\]:)?443/g, `listen $1${port}`)
    .replaceAll("example.com", "localhost")
    .replaceAll("/etc/ssl/ownwords/", `${folder}/`)
    .replaceAll("/var/lib/nginx/", `${folder}/cache-`)
    .replaceAll("/var/log/nginx/", `${folder}/`)
    .replace(/server 127\.0\.0\.1:3000 (.*)/, (_, options) =>
      upstreams.map((upstream) => `server 127.0.0.1:${upstream} ${options}`).join("\n"),
    )
    .replace(/http2 on;/, hasHttp2Directive ? "$&" : "");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${folder}/${name};`;
  });
  writeFileSync(join(folder, "site.conf"), site);
  const file = join(folder, "nginx.conf");
  // Like Debian's nginx.conf.
  writeFileSync(
    file,
    `daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 2;
pid ${folder}/nginx.pid;
events {}
http {
  ${temporary.join("\n  ")}
  include ${folder}/site.conf;
}`,
  );
  // As an operator does before a reload.
  execFileSync("nginx", ["-t", "-q", "-p", folder, "-c", file], { stdio: "inherit" });
  const child = spawn("nginx", ["-p", folder, "-c", file, "-e", "stderr"], { stdio: "inherit" });
  const logs = ["ownwords.log", "ownwords-error.log"].map((name) => join(folder, name));
  return { child, readLog: () => logs.map((log) => readFileSync(log, "utf8")).join("\n") };
}

/** Caddy with deploy/caddy/Caddyfile: as it stands, except for ports and where it logs. */
export function startCaddy({ folder, port, plainPort, upstreams }: ProxyOptions): RunningProxy {
  console.log(`Caddy ${execFileSync(CADDY, ["version"], { encoding: "utf8" }).split(" ")[0]?.trim()}`);
  const [file, log] = [join(folder, "Caddyfile"), join(folder, "caddy.log")];
  const settings = `http_port ${plainPort}\n\thttps_port ${port}\n\tadmin off\n\tskip_install_trust`;
  const site = readFileSync(join(DEPLOY, "caddy/Caddyfile"), "utf8")
    .replace(/^\{$/m, `{\n\t${settings}`)
    .replace("output stdout", `output file ${log}`);
  writeFileSync(file, site);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    UPSTREAMS: upstreams.map((upstream) => `127.0.0.1:${upstream}`).join(" "),
  };
  const config = ["--adapter", "caddyfile", "--config", file];
  execFileSync(CADDY, ["validate", ...config], { env, stdio: "ignore" });
  const child = spawn(CADDY, ["run", ...config], { env, stdio: "ignore" });
  return { child, readLog: () => readFileSync(log, "utf8") };
}
