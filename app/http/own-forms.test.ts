import { describe, expect, test } from "vitest";
import { appEntrances } from "../../test/entrances.ts";
import { asClient } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { PATH_RULES } from "../path-rules.ts";

const server = setupServer();

const SITES = [undefined, "same-origin", "same-site", "cross-site", "none"] as const;
const ORIGINS = [undefined, "own", "null", "https://evil.example", "https://[broken", "own, evil"] as const;
/** `Sec-Fetch-Site` and `Origin` of a form that is ours. */
const OURS = new Set(["undefined own", "same-origin undefined", "same-origin own", "same-origin null"]);

const posts = appEntrances().flatMap(({ method, path }) => (method === "POST" ? [path, `${path}.data`] : []));
const isFromAnywhere = (path: string) => PATH_RULES.fromAnywhere.some((known) => known === path);

function send(path: string, site: string | undefined, origin: string | undefined): Promise<Response> {
  const named = origin?.replace(/^own/, server.origin);
  return fetch(server.origin + path, {
    method: "POST",
    redirect: "manual",
    headers: {
      ...asClient(),
      // A cookie of no session: without one, JSON endpoints leave the question to themselves.
      cookie: "other=1",
      "content-type": "application/x-www-form-urlencoded",
      ...(site && { "sec-fetch-site": site }),
      ...(named && { origin: named }),
    },
    body: "",
  });
}

describe.each(SITES)("Sec-Fetch-Site: %s", (site) => {
  test.each(ORIGINS)("Origin: %s is judged once, and quietly", async (origin) => {
    let logged = "";
    const note = (chunk: Buffer) => {
      logged += chunk;
    };
    server.child.stdout?.on("data", note);
    const isOurs = OURS.has(`${site} ${origin}`);
    const wrong: string[] = [];
    for (const path of posts) {
      const response = await send(path, site, origin);
      const text = await response.text();
      const isRefused = response.status === 403 && text.includes("This was sent from another site.");
      if (text === "Bad Request" || isRefused === (isOurs || isFromAnywhere(path)))
        wrong.push(`${path}: ${response.status} ${text.slice(0, 50)}`);
    }
    server.child.stdout?.off("data", note);
    expect(wrong).toEqual([]);
    expect(logged.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});
