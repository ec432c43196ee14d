import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";

async function prepareWith(version: string): Promise<{ code: number; printed: string }> {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const args = [`--import=data:text/javascript,${encodeURIComponent(pretend)}`, "bin/prepare.mjs"];
  return promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => ({ code: 0, printed: stdout }),
    ({ code, stderr }) => ({ code, printed: stderr }),
  );
}

test.each(["18.20.8", "20.9.0", "20.18.3", "21.7.3", "22.11.0"])(
  "Node %s is said to be too old",
  async (version) => {
    expect(await prepareWith(version)).toEqual({
      code: 1,
      printed: expect.stringMatching(
        /^This needs Node \^20\.19\.0 \|\| >=22\.12\.0, and this is [\d.]+\. .*\n$/,
      ),
    });
  },
);

test.each(["20.19.0", "22.12.0", "23.0.0", "26.10.0"])("Node %s is new enough", async (version) => {
  expect(await prepareWith(version)).toEqual({ code: 0, printed: "" });
});

test("that is what the choosiest package needs that comes for each machine apart, and which npm would leave out", () => {
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const bundler = read("package-lock.json").packages["node_modules/@rolldown/binding-linux-x64-gnu"];
  expect(read("package.json").engines.node).toBe(bundler.engines.node);
});
