import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../app/db/embedded.server.ts";
import { endProcess } from "./server.ts";

const DEPLOY = join(import.meta.dirname, "../deploy");
/** Set it to a newer one than Debian’s 2.6, which answers a too large body with 502. */
const CADDY = process.env.CADDY ?? "caddy";

export interface Answer {
  /** 0: no response; `body` has the reason. */
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

type Asked = { method?: string; headers?: Record<string, string>; body?: string };

export interface ProxiedSite extends AsyncDisposable {
  name: keyof typeof STARTERS;
  port: string;
  /** A request over TLS, whatever the certificate. */
  ask(path: string, asked?: Asked): Promise<Answer>;
  readLog(): string;
}

interface Start {
  /** For generated files; contains fullchain.pem and privkey.pem. */
  folder: string;
  /** With TLS. */
  port: string;
  /** Without. */
  plainPort: string;
  /** The ports of the site's processes. */
  upstreams: readonly string[];
}

const STARTERS = { nginx: startNginx, Caddy: startCaddy };

/** Starts a proxy in front of these ports, and waits until it answers. */
export async function openProxy(
  name: ProxiedSite["name"],
  upstreams: readonly string[],
  given?: string,
): Promise<ProxiedSite> {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  const [key, certificate] = ["privkey.pem", "fullchain.pem"].map((file) => join(folder, file));
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...request, "-keyout", key ?? "", "-out", certificate ?? ""], { stdio: "ignore" });
  const [port, plainPort] = [given ?? String(await freePort()), String(await freePort())];
  const { child, logs } = STARTERS[name]({ folder, upstreams, port, plainPort });
  const askProxy = (path: string, asked?: Asked) => ask(port, path, asked);
  while ((await askProxy("/")).status === 0) await sleep(100);
  return {
    name,
    port,
    ask: askProxy,
    readLog: () => logs.map((log) => readFileSync(log, "utf8")).join("\n"),
    async [Symbol.asyncDispose]() {
      await endProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask(port: string, path: string, asked: Asked = {}): Promise<Answer> {
  const { method, headers, body = "" } = asked;
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const address = { host: "localhost", port, path, agent: false, rejectUnauthorized: false } as const;
  const sent = request({ ...address, method, headers: { ...length, ...headers } });
  // Also for errors after the answer has begun.
  sent.on("error", () => {}).end(body);
  try {
    const [answer]: IncomingMessage[] = await once(sent, "response");
    if (!answer) throw new Error("no answer");
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
  } catch (error) {
    return { status: 0, headers: {}, body: String(error) };
  }
}

/** `logs` are the files it logs to. */
type Started = { child: ChildProcess; logs: string[] };

/** nginx with deploy/nginx/site.conf: as it stands, except for ports, folders and the certificate. */
function startNginx({ folder, port, plainPort, upstreams }: Start): Started {
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
  return { child, logs: ["ownwords.log", "ownwords-error.log"].map((name) => join(folder, name)) };
}

/** Caddy with deploy/caddy/Caddyfile: as it stands, except for ports and where it logs. */
function startCaddy({ folder, port, plainPort, upstreams }: Start): Started {
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
  return { child: spawn(CADDY, ["run", ...config], { env, stdio: "ignore" }), logs: [log] };
}
