import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter";
import { FIREFOX } from "../firefox.ts";

/**
 * Runs the browser tests in an installed Firefox, except those that cannot run there.
 *
 * @param workers how many browsers at a time
 * @returns a line for each test that failed
 */
export async function firefox(workers: number): Promise<string[]> {
  if (!existsSync(FIREFOX))
    return [
      `there is no Firefox at ${FIREFOX}: apt-get install firefox-esr, or set FIREFOX to the program's path`,
    ];
  const folder = mkdtempSync(join(tmpdir(), "firefox-"));
  const report = join(folder, "report.json");
  const args = ["test", "--project=firefox", `--workers=${workers}`, "--reporter=list,json"];
  try {
    spawnSync("playwright", args, {
      stdio: "inherit",
      env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    });
    const tests = (JSON.parse(readFileSync(report, "utf8")) as JSONReport).suites.flatMap(testsOf);
    console.log(`${tests.filter(({ status }) => status === "expected").length} passed; not run:`);
    for (const { name, status, reason } of tests)
      if (status === "skipped") console.log(`  ${name}: ${reason}`);
    return tests.flatMap(({ name, status }) => (status === "unexpected" ? [name] : []));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function testsOf({
  file,
  specs,
  suites = [],
}: JSONReportSuite): { name: string; status: string; reason: string }[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map(({ status, annotations }) => ({
      name: `${file}, “${title}”`,
      status,
      reason: annotations.find(({ type }) => type === "skip")?.description ?? "",
    })),
  );
  return [...own, ...suites.flatMap(testsOf)];
}
