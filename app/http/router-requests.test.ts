import { describe, expect, test } from "vitest";
import { appEntrances } from "../../test/entrances.ts";
import { asClient } from "../../test/http.ts";
import { createOperator } from "../../test/operator.ts";
import { dataPath, readRouterAnswer } from "../../test/router.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createPerson, type Person } from "../../test/users.ts";

const server = setupServer();
const LONG_AGO =
  "confirmed_at = now() - interval '1 day', second_factor_at = second_factor_at - interval '1 day'";
const NOT_NOW = "second_factor_at = now() - interval '1 hour'";

async function withSession(person: Person, change: string): Promise<string> {
  await server.pool.query(`UPDATE session SET ${change} WHERE user_id = $1`, [person.id]);
  return person.cookie;
}

const EVERY_PAGE = /^/;
const CONSOLE = /^\/admin/;

/** Those who are led elsewhere by one page or another, and the pages where they differ from those before. */
const READERS: [who: string, pages: RegExp, make: () => Promise<string>][] = [
  ["nobody", EVERY_PAGE, async () => ""],
  ["somebody who signed in now", EVERY_PAGE, async () => (await createPerson(server.pool)).cookie],
  [
    "somebody who signed in long ago",
    /^\/account/,
    async () => withSession(await createPerson(server.pool), LONG_AGO),
  ],
  [
    "an operator who signed in long ago",
    CONSOLE,
    async () => withSession(await createOperator(server.pool), LONG_AGO),
  ],
  [
    "an operator who showed the factor an hour ago",
    CONSOLE,
    async () => withSession(await createOperator(server.pool), NOT_NOW),
  ],
];

/** Every page, with a query that means nothing to it. Programs' endpoints and files answer no router. */
const PAGES = appEntrances().filter(
  ({ path }) => !/\.|^\/(functions|v1|api|webhooks|auth\/(start|popup|callback|passkey))\b/.test(path),
);

describe.each(READERS)("%s", (_who, pages, make) => {
  test("is led by the router to where a document leads", async () => {
    const wrong: string[] = [];
    for (const { method, path } of PAGES) {
      if (!pages.test(path)) continue;
      const ask = async (url: string) =>
        fetch(server.origin + url, {
          method,
          redirect: "manual",
          // Of somebody else each: some pages sign out, and there is one operator at a time.
          headers: { ...asClient(), origin: server.origin, cookie: await make() },
          ...(method === "POST" && { body: new URLSearchParams({ do: "x" }) }),
        });
      const location = (await ask(`${path}?x=1`)).headers.get("location") ?? undefined;
      const answer = await ask(dataPath(`${path}?x=1`));
      const { redirect } = await readRouterAnswer(answer, method === "GET" ? "root" : undefined);
      // A document with a refused form is a page again, which may lead on by itself.
      const isShownAgain = method === "POST" && answer.status >= 400;
      if (redirect !== location && !isShownAgain)
        wrong.push(`${method} ${path}: ${redirect}, not ${location}`);
    }
    expect(wrong).toEqual([]);
  });
});
