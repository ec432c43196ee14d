import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COUNTED, MEASURED, type Metric, READ } from "../app/telemetry/metrics.ts";
import { createRegistry } from "../app/telemetry/registry.server.ts";
import { readAlerts } from "../test/alerts.ts";

const alerts = readAlerts();
const runbook = readFileSync("docs/operate.md", "utf8");
const dashboard: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
  readFileSync("deploy/grafana/dashboard.json", "utf8"),
);

test("each alert has its section in the runbook, which says the same severity and a command; each section has its alert", () => {
  const sections = Array.from(
    runbook.matchAll(/^### (\w+)\n\n\*\*(Critical|Warning)\.\*\* (.+?)(?=^##|(?![\s\S]))/gms),
  );
  expect(alerts.length).toBeGreaterThan(20);
  expect(sections.map(([, name, severity]) => [name, severity?.toLowerCase()])).toEqual(
    expect.arrayContaining(alerts.map(({ name, severity }) => [name, severity])),
  );
  expect(sections).toHaveLength(alerts.length);
  for (const { name, runbook } of alerts) expect(runbook).toBe(`docs/operate.md#${name.toLowerCase()}`);
  for (const [section, name] of sections)
    expect(section, name).toMatch(/`npm run |`journalctl |`systemctl |`top`|\]\(#/);
});

test("the runbook's links and npm commands lead somewhere", () => {
  const anchors = Array.from(runbook.matchAll(/^#+ (.+)$/gm), ([, title = ""]) =>
    title.toLowerCase().replaceAll(" ", "-"),
  );
  for (const [, anchor] of runbook.matchAll(/\]\(#([\w-]+)\)/g)) expect(anchors).toContain(anchor);
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const [, script] of runbook.matchAll(/npm run (\w+)/g)) expect(Object.keys(scripts)).toContain(script);
  const ops = readFileSync("bin/ops.ts", "utf8");
  for (const [, subject] of runbook.matchAll(/npm run ops -- ([a-z]+)/g))
    expect(ops).toContain(`  ${subject}: `);
});

test("the runbook names every metric with its labels", () => {
  const lines = runbook.matchAll(/^- `(\w+)`(?: \((.+)\))?$/gm);
  expect(
    Array.from(lines, ([, name, labels = ""]) => ({ name, labels: labels.replaceAll("`", "") })),
  ).toEqual(
    Object.entries<Metric>({ ...COUNTED, ...MEASURED, ...READ }).map(([name, { labels }]) => ({
      name,
      labels: Object.keys(labels).join(", "),
    })),
  );
});

test("alerts and dashboard ask only for what a scrape has, by labels and values it can have", async () => {
  const { render } = await createRegistry();
  const scraped = new Set(Array.from((await render()).matchAll(/^# TYPE (\S+) /gm), ([, name]) => name));
  const expressions = [
    ...alerts.map(({ expression }) => expression),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ];
  expect(expressions.length).toBeGreaterThan(50);
  for (const expression of expressions) {
    for (const { name, matchers } of selectorsOf(expression)) {
      const metric = name.replace(/_bucket$/, "");
      if (PROMETHEUS_OWN.has(metric)) continue;
      expect(scraped, expression).toContain(metric);
      for (const { label, values } of matchers) {
        if (label === "job") continue;
        const known: Metric | undefined = { ...COUNTED, ...MEASURED, ...READ }[metric as keyof typeof READ];
        expect(Object.keys(known?.labels ?? {}), expression).toContain(label);
        for (const value of values) expect(known?.labels[label] ?? [value], expression).toContain(value);
      }
    }
  }
});

/** Of Prometheus itself: whether a scrape was answered, and its alerts. */
const PROMETHEUS_OWN = new Set(["up", "ALERTS"]);

interface Selector {
  name: string;
  matchers: { label: string; values: string[] }[];
}

/** The metrics that an expression of PromQL asks for: its words that are neither functions nor operators. */
function selectorsOf(expression: string): Selector[] {
  const ungrouped = expression.replaceAll(/\b(by|on) ?\([^)]*\)/g, "");
  const words = ungrouped.matchAll(/(?<![$\w.])([a-zA-Z_]\w*)\s*(\{[^}]*\}|\()?/g);
  return Array.from(words, ([, name = "", after = ""]) => ({ name, after }))
    .filter(({ name, after }) => after !== "(" && !OPERATORS.has(name))
    .map(({ name, after }) => ({ name, matchers: matchersOf(after) }));
}

const OPERATORS = new Set(["and", "or", "unless"]);

/** A pattern with a dot stands for values that are not listed. */
function matchersOf(text: string): Selector["matchers"] {
  return Array.from(text.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g), ([, label = "", pattern = ""]) => ({
    label,
    values: pattern.split("|").filter((value) => !value.includes(".")),
  }));
}
