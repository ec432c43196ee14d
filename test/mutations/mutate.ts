import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVitest } from "vitest/node";
import { createScratchCopy } from "../scratch-copy.ts";
import type { Mutation } from "./mutation.ts";
import { MUTATIONS } from "./mutations.ts";

const NEEDS_BUILD = /\.site\.test\.ts$/;
/** A rule made wrong may make its test wait for what never happens. */
const TIMEOUT_MILLISECONDS = 60_000;

/**
 * Makes each rule wrong in a copy of the sources, and runs the tests that have to notice.
 *
 * `npm run soak -- mutate 100 passkeys` makes those of the area with this name; if there is none, those with it in area, file or text.
 *
 * @param size of each area no more than these; all by default
 * @returns a line for each mutation that no test noticed and no other layer holds, and for each that could not be made
 */
export async function mutate(size: number): Promise<string[]> {
  const [wanted = ""] = process.argv.slice(4);
  const areas = Object.entries(MUTATIONS)
    .filter(([area]) => area === wanted || !(wanted in MUTATIONS))
    .map(([area, all]) => {
      const isWanted = ({ file, text }: Mutation) => `${area} ${file} ${text}`.includes(wanted);
      return [area, area === wanted ? all : all.filter(isWanted)] as const;
    })
    .filter(([, mutations]) => mutations.length > 0);
  const missing = areas.flatMap(([, mutations]) => mutations).filter(isMissing);
  if (missing.length > 0)
    return missing.map(({ file, text }) => `${file} does not have exactly once: ${text}`);
  const { folder, remove } = createScratchCopy();
  const here = process.cwd();
  // Tests run commands of the folder that they are in.
  process.chdir(folder);
  const survivors: string[] = [];
  try {
    for (const [area, mutations] of areas) {
      const chosen = mutations.slice(0, size);
      const tests = new Set(chosen.flatMap((mutation) => mutation.tests));
      // Tests that fail by themselves would notice everything.
      if (await hasFailure(folder, [...tests])) {
        survivors.push(`${area}: its tests fail without a mutation`);
        continue;
      }
      const unnoticed: Mutation[] = [];
      for (const mutation of chosen) {
        if (await isNoticed(folder, mutation)) continue;
        console.log(
          `  not noticed: without ${mutation.text.trim()}${mutation.heldBy ? `: ${mutation.heldBy}` : ""}`,
        );
        unnoticed.push(mutation);
      }
      const held = unnoticed.filter(({ heldBy }) => heldBy);
      console.log(
        `${area}: ${chosen.length - unnoticed.length} of ${chosen.length} noticed, ${held.length} held elsewhere`,
      );
      survivors.push(
        ...unnoticed
          .filter(({ heldBy }) => !heldBy)
          .map(({ file, text }) => `${area}: ${file} without ${text.trim()}`),
      );
    }
  } finally {
    process.chdir(here);
    remove();
  }
  return survivors;
}

function isMissing({ file, text }: Mutation): boolean {
  return readFileSync(file, "utf8").split(text).length !== 2;
}

async function isNoticed(folder: string, { file, text, replacement, tests }: Mutation): Promise<boolean> {
  const path = join(folder, file);
  const sound = readFileSync(path, "utf8");
  writeFileSync(
    path,
    sound.replace(text, () => replacement),
  );
  try {
    return await hasFailure(folder, tests);
  } finally {
    writeFileSync(path, sound);
  }
}

/** Whether any of the tests fails, with the sources of the copy as they are. */
async function hasFailure(folder: string, tests: readonly string[]): Promise<boolean> {
  if (tests.some((test) => NEEDS_BUILD.test(test))) {
    // Not bin/prepare.mjs, which would install packages over the ones that the copy shares.
    const { status, stderr } = spawnSync("npm", ["run", "--silent", "build"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, NODE_ENV: "production" },
    });
    if (status !== 0) {
      console.log(`  the build fails: ${stderr.trim().slice(-500)}`);
      return true;
    }
  }
  const vitest = await createVitest("test", {
    root: folder,
    watch: false,
    bail: 1,
    reporters: [{}],
    testTimeout: TIMEOUT_MILLISECONDS,
  });
  try {
    const { testModules, unhandledErrors } = await vitest.start([...tests]);
    return unhandledErrors.length > 0 || testModules.some((module) => !module.ok());
  } finally {
    await vitest.close();
  }
}
