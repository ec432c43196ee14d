import { readFileSync } from "node:fs";

export const ALERTS_FILE = "deploy/prometheus/alerts.yml";

export interface Alert {
  name: string;
  /** In PromQL, in one line. */
  expression: string;
  severity: string;
  /** The anchor of its section. */
  runbook: string;
}

/** The alert rules, in the few forms of YAML that they are written in. @throws when one has another form */
export function readAlerts(): Alert[] {
  const rules = readFileSync(ALERTS_FILE, "utf8")
    .split(/^ {6}- alert: /m)
    .slice(1);
  return rules.map((rule) => {
    const form =
      /^(?<name>\w+)\n {8}expr: (?:>-\n)?(?<expression>.+?)\n {8}(?:for: \d+[mh]\n {8})?labels: \{ severity: (?<severity>\w+) \}\n {8}annotations:\n {10}summary: ".+"\n {10}runbook: (?<runbook>\S+)\n\n?$/s;
    const { name = "", expression = "", severity = "", runbook = "" } = form.exec(rule)?.groups ?? {};
    if (!name) throw new Error(`this rule is written otherwise than the others:\n${rule}`);
    return { name, expression: expression.replaceAll(/\s+/g, " ").trim(), severity, runbook };
  });
}
