import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { freePort } from "../app/db/embedded.server.ts";
import { eventually } from "./http.ts";

export interface TlsProxy {
  /** What people would type: https. */
  origin: string;
  stop(): Promise<void>;
}

/**
 * nginx in front of a server, with a certificate it signed itself, as an operator would put it there. This process
 * trusts the certificate from then on. Needs nginx and openssl on the machine.
 *
 * @param port where the server behind it is going to listen, without TLS
 */
export async function startTlsProxy(port: string): Promise<TlsProxy> {
  const folder = mkdtempSync(join(tmpdir(), "tls-proxy-"));
  const tlsPort = await freePort();
  await signCertificate(folder);
  for (const temporary of ["body", "proxy", "fastcgi", "uwsgi", "scgi"]) mkdirSync(join(folder, temporary));
  writeFileSync(join(folder, "nginx.conf"), configOf(folder, tlsPort, port));
  const nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"], {
    stdio: "inherit",
  });
  const endWithTest = () => nginx.kill("SIGKILL");
  process.once("exit", endWithTest);
  await eventually(() => isListening(tlsPort), "nginx listens");
  return {
    origin: `https://localhost:${tlsPort}`,
    async stop() {
      process.off("exit", endWithTest);
      if (nginx.exitCode === null) {
        nginx.kill("SIGTERM");
        await once(nginx, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function signCertificate(folder: string): Promise<void> {
  const certificate = join(folder, "certificate.pem");
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", join(folder, "key.pem"), "-out", certificate],
  ]);
  setDefaultCACertificates([...getCACertificates(), readFileSync(certificate, "utf8")]);
}

function configOf(folder: string, tlsPort: number, port: string): string {
  return `
daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_max_body_size 2m;
  server {
    listen 127.0.0.1:${tlsPort} ssl;
    server_name localhost;
    ssl_certificate ${folder}/certificate.pem;
    ssl_certificate_key ${folder}/key.pem;
    location / {
      proxy_pass http://127.0.0.1:${port};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto https;
    }
  }
}`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });
}
