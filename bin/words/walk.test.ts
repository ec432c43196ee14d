import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { routeFiles } from "../../test/entrances.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { readMailbox } from "./mailbox.ts";
import { walk } from "./walk.ts";

const APP = join(import.meta.dirname, "../../app");
const server = setupServer();

test("npm run words shows every page and every mail", async () => {
  const shown = new Set<string>();
  await walk(server, async (_state, path) => void shown.add(path));
  const missing = routeFiles()
    .filter(({ file }) => /^export default/m.test(readFileSync(join(APP, file), "utf8")))
    .map(({ path }) => path.replace("*", "nowhere"))
    // It stands in for the page whose form it refuses: "Profile, of another account".
    .filter((path) => path !== "/account/other")
    .filter((path) => ![...shown].some((each) => isAt(path, each)));
  expect(missing, "pages that are not in bin/words/walk.ts").toEqual([]);

  const subjects = (await readMailbox(server)).map(({ subject }) => subject);
  const written = subjectsInSource();
  expect(written.length).toBeGreaterThan(10);
  const unsent = written.filter((pattern) => !subjects.some((subject) => pattern.test(subject)));
  expect(unsent, "mails that bin/words/walk.ts does not cause").toEqual([]);
});

/** Whether a page was shown at this address of routes.ts, whatever stands for its parameters. */
function isAt(route: string, path: string): boolean {
  const [parts, found] = [route.split("/"), path.split("/")];
  return (
    parts.length === found.length && parts.every((part, at) => part.startsWith(":") || part === found[at])
  );
}

/** What the subject of each kind of mail looks like, whatever is put into it. */
function subjectsInSource(): RegExp[] {
  const files = globSync(
    "{auth,billing/announcing,billing/notices,billing/plan,waitlist}/**/*{messages,notices}.ts",
    {
      cwd: APP,
    },
  );
  return files.flatMap((file) =>
    [...readFileSync(join(APP, file), "utf8").matchAll(/subject: ["`](.*)["`]/g)].map(
      ([, subject = ""]) => new RegExp(`^${subject.replaceAll(/\$\{[^}]*\}/g, ".*")}$`),
    ),
  );
}
