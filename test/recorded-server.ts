import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type TestServer } from "./server.ts";

/**
 * A server that writes down what its requests ask of the database.
 *
 * @returns with `queriesOf`: the statements of one page, seen for the second time, when the session has been renewed
 */
export async function startRecordedServer(): Promise<
  TestServer & { queriesOf(path: string, cookie: string): Promise<string[]> }
> {
  const folder = mkdtempSync(join(tmpdir(), "recorded-"));
  const file = join(folder, "statements");
  writeFileSync(file, "");
  const recorder = join(import.meta.dirname, "record-statements.ts");
  const server = await startServer({ NODE_OPTIONS: `--import=${recorder}`, STATEMENTS: file });

  async function queriesOf(path: string, cookie: string): Promise<string[]> {
    for (const _time of ["first", "second"]) {
      writeFileSync(file, "");
      const { status } = await fetch(server.origin + path, { headers: { cookie }, redirect: "manual" });
      if (status !== 200) throw new Error(`${path} is answered with ${status}`);
    }
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as [path: string, text: string])[1]);
  }

  return {
    ...server,
    queriesOf,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
