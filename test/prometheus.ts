import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../app/db/embedded.server.ts";
import { ALERTS_FILE } from "./alerts.ts";
import { eventually } from "./http.ts";
import { endProcess } from "./server.ts";

/** The folder of prometheus and promtool: PROMETHEUS, or the PATH. */
const PROGRAMS = process.env.PROMETHEUS ? `${resolve(process.env.PROMETHEUS)}/` : "";
const HOW_TO_GET_IT =
  "this needs prometheus and promtool. On Debian: apt-get install prometheus; or, without installing it, " +
  "apt-get download prometheus && dpkg -x prometheus_*.deb DIR, and PROMETHEUS=DIR/usr/bin";

interface Answer {
  data: { alerts: { state: string; labels: { alertname: string } }[] };
}

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

/** Checks the rules with promtool, also against given series. @throws with its output */
export function checkRules(): string {
  try {
    const run = (...args: string[]) =>
      execFileSync(`${PROGRAMS}promtool`, args, { encoding: "utf8", stdio: "pipe" });
    const checked = run("check", "rules", ALERTS_FILE);
    const tested = run("test", "rules", "deploy/prometheus/alerts.test.yml");
    return `${/SUCCESS: .*/.exec(checked)?.[0]}; ${tested.trim().split("\n").at(-1)?.trim()}`;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw new Error(HOW_TO_GET_IT);
    throw error;
  }
}

/**
 * A real Prometheus that scrapes these ports every second and evaluates our rules. Without their `for`, which would only make
 * the run wait. Every port has been scraped by then: what an alert compares with must be from before the first fault.
 */
export async function startPrometheus(ports: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const alerts = readFileSync(ALERTS_FILE, "utf8").replaceAll(/^ +for: .*\n/gm, "");
  writeFileSync(join(folder, "alerts.yml"), alerts);
  // JSON is YAML.
  const config = {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: ["alerts.yml"],
    scrape_configs: [
      { job_name: "site", static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }] },
    ],
  };
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
  const port = await freePort();
  const options = [
    `--web.listen-address=127.0.0.1:${port}`,
    "--config.file=prometheus.yml",
    // Debian's keeps all runs in one folder by default, and rules look back for hours.
    "--storage.tsdb.path=data",
  ];
  const child = spawn(`${PROGRAMS}prometheus`, options, { cwd: folder, stdio: "ignore" });
  await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=sum(up)`).catch(() => null);
    if (!response?.ok) return false;
    const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
    return data.result[0]?.value[1] === String(ports.length);
  }, "Prometheus having scraped every process");
  return {
    /** The names of the alerts that are firing. */
    async firing(): Promise<Set<string>> {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => null);
      if (!response?.ok) return new Set();
      const { data } = (await response.json()) as Answer;
      const firing = data.alerts.filter(({ state }) => state === "firing");
      return new Set(firing.map(({ labels }) => labels.alertname));
    },
    async [Symbol.asyncDispose]() {
      await endProcess(child);
      rmSync(folder, { recursive: true });
    },
  };
}
