import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pool } from "pg";
import { siteUrlOf } from "../app/db/embedded.server.ts";
import { dataPath } from "../test/router.ts";
import { spawnServer } from "../test/server.ts";
import { createSignedInUsers } from "../test/users.ts";
import { HOT_CODE } from "./redeem-rivals.ts";

/** More than can redeem in a measurement. */
const PEOPLE = 20_000;
const CONNECTIONS = 64;
/** In which the site opens its connections to the database again, which it closes while it has nothing to do. */
const WARM_UP_SECONDS = 2;

/**
 * The site as it ships, with people who are signed in.
 *
 * @returns how often a second their forms redeemed a code each, by their grants
 */
export async function openSite(url: string, owner: Pool, folder: string) {
  const dataDir = join(folder, "data");
  mkdirSync(dataDir);
  const server = await spawnServer({
    ...{ DATABASE_URL: siteUrlOf(url), DATABASE_OWNER_URL: url, DATA_DIR: dataDir, LOG_LEVEL: "error" },
    DATABASE_TIMEOUT_SECONDS: "30",
  });
  const people = await createSignedInUsers(owner, PEOPLE);
  // As those of most visits are: not about to be renewed.
  await owner.query("UPDATE session SET expires_at = now() + interval '30 days'");
  const script = join(folder, "redeem.lua");
  writeFileSync(script, scriptFor(people, server.origin));
  return {
    async redeem(seconds: number): Promise<number> {
      const { stdout } = await promisify(execFile)("wrk", [
        ...[
          "-t1",
          `-c${CONNECTIONS}`,
          `-d${seconds + WARM_UP_SECONDS}s`,
          "--timeout",
          "30s",
          "-s",
          script,
          server.origin,
        ],
      ]);
      if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
      const { rows } = await owner.query(
        `SELECT count(*)::int AS n
         FROM grants, (SELECT min(created_at) AS first FROM grants WHERE promo_code = $3) AS begun
         WHERE promo_code = $3 AND extract(epoch FROM created_at - first) BETWEEN $1 AND $1 + $2`,
        [WARM_UP_SECONDS, seconds, HOT_CODE],
      );
      return rows[0].n / seconds;
    },
    async end(): Promise<void> {
      const exited = once(server.child, "exit");
      server.child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Each request is the form, as the page's router sends it, of another person, from an address of their own: limits count them one by one. */
function scriptFor(people: readonly { cookie: string }[], origin: string): string {
  const cookies = people.map(({ cookie }) => JSON.stringify(cookie)).join(",\n");
  return `local cookies = {${cookies}}
local next = 0
request = function()
  next = next + 1
  return wrk.format("POST", "${dataPath("/subscription")}", {
    ["Cookie"] = cookies[next], ["Origin"] = "${origin}", ["Content-Type"] = "application/x-www-form-urlencoded",
    ["X-Forwarded-For"] = string.format("2001:db8:%x::1", next), ["Accept-Encoding"] = "br"
  }, "form=promo&code=${HOT_CODE}")
end`;
}
