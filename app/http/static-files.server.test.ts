import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStaticFiles, readStaticFiles } from "./static-files.server.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "client-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Puts a file into the folder of a build. */
function place(path: string, content: string | Buffer = path): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Serves the folder. @returns what it answers to each path, in words */
async function ask(paths: readonly string[]): Promise<(string | null)[][]> {
  const serve = createStaticFiles(readStaticFiles(folder), false, async () => null);
  const server = createServer((request, response) =>
    serve(request, response, () => response.writeHead(404).end()),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answers = await Promise.all(
    paths.map(async (path) => {
      const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { "accept-encoding": "br" },
      });
      const named = ["content-type", "cache-control", "content-encoding", "x-content-type-options"];
      return [path, String(status), ...named.map((name) => headers.get(name))];
    }),
  );
  server.close();
  return answers;
}

test.each([
  ["woff2", "font/woff2"],
  ["woff", "font/woff"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["avif", "image/avif"],
  ["gif", "image/gif"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["pdf", "application/pdf"],
  ["json", "application/json"],
  ["txt", "text/plain; charset=utf-8"],
])(
  "a .%s is served as %s: for an hour under its own name, and for ever under that of its content",
  async (ending, type) => {
    const [own, hashed] = [`/photos/garden.${ending}`, `/assets/garden-BT5k_2aQ.${ending}`];
    place(own);
    place(hashed);
    expect(await ask([own, hashed])).toEqual([
      [own, "200", type, "public, max-age=3600", null, "nosniff"],
      [hashed, "200", type, "public, max-age=31536000, immutable", null, "nosniff"],
    ]);
  },
);

test("what is no file of the build, or begins with a dot, is left to whoever answers next", async () => {
  place("/.vite/manifest.json");
  place("/a.txt");
  expect(
    (await ask(["/.vite/manifest.json", "/a.txt/", "/b.txt", "/a.txt"])).map(([, status]) => status),
  ).toEqual(["404", "404", "404", "200"]);
});

test("a file that no browser would be told the type of, and one that is too large to hold, are refused by their names", () => {
  place("/notes.docx");
  expect(() => readStaticFiles(folder)).toThrow(
    "app/http/static-files.server.ts has no media type for /notes.docx",
  );
  rmSync(join(folder, "notes.docx"));
  place("/photo.jpg", Buffer.alloc(2 * 1024 * 1024));
  expect(readStaticFiles(folder)).toHaveLength(1);
  place("/photo.jpg", Buffer.alloc(2 * 1024 * 1024 + 1));
  expect(() => readStaticFiles(folder)).toThrow("/photo.jpg is larger than 2097152 bytes");
});
