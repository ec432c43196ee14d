import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Reporter, TestCase } from "@playwright/test/reporter";
import { FIREFOX } from "../firefox.ts";

/**
 * Runs the browser tests in an installed Firefox, and prints why some cannot run there.
 *
 * @param workers how many browsers at a time
 */
export async function firefox(workers: number): Promise<string[]> {
  return existsSync(FIREFOX)
    ? runBrowserTests("firefox", workers, [`--reporter=list,${import.meta.filename}`])
    : [
        `there is no Firefox at ${FIREFOX}: apt-get install firefox-esr, or set FIREFOX to the program's path`,
      ];
}

/** @returns a line if a test failed; Playwright has named it */
export function runBrowserTests(project: string, workers: number, args: string[], env = {}): string[] {
  const { status } = spawnSync(
    "playwright",
    ["test", `--project=${project}`, `--workers=${workers}`, ...args],
    {
      stdio: "inherit",
      env: { ...process.env, ...env },
    },
  );
  return status === 0 ? [] : [`the browser tests ended with ${status}`];
}

/** Prints why a test is skipped, which Playwright's own reporters do not. @public is what `--reporter` names. */
export default class SkipReporter implements Reporter {
  onTestEnd({ title, annotations, expectedStatus }: TestCase): void {
    const reason = annotations.find(({ type }) => type === "skip")?.description;
    if (expectedStatus === "skipped") console.log(`not run: “${title}”: ${reason}`);
  }
}
