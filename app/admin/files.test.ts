import { expect, test } from "vitest";
import { appEntrances } from "../../test/entrances.ts";
import { createOperator } from "../../test/operator.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createPerson, get } from "../../test/users.ts";

const server = setupServer();

/** What differs from one request to the next. */
const withoutIds = (text: string) => text.replaceAll(/nonce="[^"]*"|[0-9a-f-]{32,36}/g, "");

test("the console's files look like an address that does not exist to everybody else", async () => {
  const person = await createPerson(server.pool);
  const paths = appEntrances().flatMap(({ method, path }) =>
    method === "GET" && /^\/admin\/.*(\.csv|\/html|\/export)$/.test(path) ? [path] : [],
  );
  expect(paths.length).toBeGreaterThan(4);
  for (const cookie of [undefined, person.cookie]) {
    const nowhere = await get(server, "/admin/nothing-here", cookie);
    const expected = withoutIds(await nowhere.text());
    for (const path of paths) {
      const answer = await get(server, path, cookie);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        404,
        nowhere.headers.get("content-type"),
      ]);
      expect(withoutIds(await answer.text())).toBe(expected);
      const head = await fetch(server.origin + path, { method: "HEAD" });
      expect([head.status, head.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    }
  }
});

test("and are files for an operator", async () => {
  const { cookie } = await createOperator(server.pool);
  const answer = await get(server, "/admin/log.csv", cookie);
  expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
    200,
    'attachment; filename="audit-log.csv"',
  ]);
});
