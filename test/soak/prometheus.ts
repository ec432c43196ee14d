import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../../app/db/embedded.server.ts";
import { ALERTS_FILE } from "../alerts.ts";

/** The folder of prometheus and promtool: PROMETHEUS, or the PATH. */
const PROGRAMS = process.env.PROMETHEUS ? `${resolve(process.env.PROMETHEUS)}/` : "";
const HOW_TO_GET_IT =
  "this needs prometheus and promtool. On Debian: apt-get install prometheus; or, without installing it, " +
  "apt-get download prometheus && dpkg -x prometheus_*.deb DIR, and PROMETHEUS=DIR/usr/bin";

interface Answer {
  data: { alerts: { state: string; labels: { alertname: string } }[] };
}

export interface Prometheus {
  /** The names of the alerts that are firing. */
  firing(): Promise<Set<string>>;
  close(): Promise<void>;
}

/** Checks the rules with promtool, also against given series. @throws with its output */
export function checkRules(): string {
  try {
    const run = (...args: string[]) =>
      execFileSync(`${PROGRAMS}promtool`, args, { encoding: "utf8", stdio: "pipe" });
    const checked = run("check", "rules", ALERTS_FILE);
    return `${/SUCCESS: .*/.exec(checked)?.[0]}; ${run("test", "rules", "deploy/prometheus/alerts.test.yml").trim().split("\n").at(-1)?.trim()}`;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw new Error(HOW_TO_GET_IT);
    throw error;
  }
}

/**
 * A real Prometheus that scrapes these ports every second and evaluates our rules, with `for` left out: a test does not wait
 * whether something lasts.
 */
export async function startPrometheus(ports: readonly string[]): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  writeFileSync(
    join(folder, "alerts.yml"),
    readFileSync(ALERTS_FILE, "utf8").replaceAll(/^ +for: .*\n/gm, ""),
  );
  const targets = JSON.stringify(ports.map((port) => `127.0.0.1:${port}`));
  writeFileSync(
    join(folder, "prometheus.yml"),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: site
    static_configs: [{ targets: ${targets} }]
`,
  );
  const port = await freePort();
  const child = spawn(
    `${PROGRAMS}prometheus`,
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit");
  return {
    async firing() {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => null);
      if (!response?.ok) return new Set();
      const { data } = (await response.json()) as Answer;
      const firing = data.alerts.filter(({ state }) => state === "firing");
      return new Set(firing.map(({ labels }) => labels.alertname));
    },
    async close() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
