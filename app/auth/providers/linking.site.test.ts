import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { type Browser, openBrowser, turnKnobs } from "../../../test/browser.ts";
import { countMails, mailTo } from "../../../test/mail.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { sessionTokenOf } from "../../../test/users.ts";
import { hashSecret } from "../../http/secret-token.server.ts";
import { addressOf, providersOn } from "./people.fixture.ts";
import type { SignInError } from "./sign-in-errors.ts";

const TABLE = readFileSync("docs/integrate.md", "utf8");

const server = sharedServer();

const { come, expectRefused, userOf, signInMethods } = providersOn(server);

afterEach(() => turnKnobs(server, { reset: true }));

/** Who has the address already: the rows of the table. */
const OWNERS = {
  nobody: null,
  "unverified, password": { isVerified: false, signInMethods: ["credential"] },
  "unverified, Facebook": { isVerified: false, signInMethods: ["facebook"] },
  "verified, password": { isVerified: true, signInMethods: ["credential"] },
  "verified, Facebook": { isVerified: true, signInMethods: ["facebook"] },
  "verified, password and Facebook": { isVerified: true, signInMethods: ["credential", "facebook"] },
  "verified, Google": { isVerified: true, signInMethods: ["google"] },
  "verified, password and Google": { isVerified: true, signInMethods: ["credential", "google"] },
  "unverified, Google": { isVerified: false, signInMethods: ["google"] },
} as const;

/** Who comes: the columns. */
const ARRIVALS = {
  "Google, verified": { provider: "google", isVerified: true },
  "Google, unverified": { provider: "google", isVerified: false },
  "Google, no address": { provider: "google", isShared: false },
  "Facebook, address": { provider: "facebook" },
  "Facebook, no address": { provider: "facebook", isShared: false },
} as const;

type Outcome = "new, verified" | "new, unverified" | "linked" | SignInError;

const CELLS: Record<keyof typeof OWNERS, [Outcome, Outcome, Outcome, Outcome, Outcome]> = {
  nobody: ["new, verified", "new, unverified", "email-missing", "new, unverified", "email-missing"],
  "unverified, password": row("address-unconfirmed", "address-unconfirmed", "address-unconfirmed"),
  "unverified, Facebook": row("address-unconfirmed", "address-unconfirmed", "address-unconfirmed"),
  "verified, password": row("linked", "account-exists", "account-exists"),
  "verified, Facebook": row("linked", "account-exists-facebook", "account-exists-facebook"),
  "verified, password and Facebook": row("linked", "account-exists", "account-exists"),
  "verified, Google": row("account-exists-google", "account-exists-google", "account-exists-google"),
  "verified, password and Google": row(
    "account-exists-google",
    "account-exists-google",
    "account-exists-google",
  ),
  "unverified, Google": row("address-unconfirmed", "address-unconfirmed", "address-unconfirmed"),
};

/** Who does not tell an address cannot be told to anybody by it. */
function row(verified: Outcome, unverified: Outcome, facebook: Outcome): (typeof CELLS)["nobody"] {
  return [verified, unverified, "email-missing", facebook, "email-missing"];
}

const ROWS = Object.keys(OWNERS) as (keyof typeof OWNERS)[];
const COLUMNS = Object.keys(ARRIVALS) as (keyof typeof ARRIVALS)[];

describe.each(ROWS)("the address belongs to: %s", (ownerName) => {
  test.each(COLUMNS.map((column, index) => [column, CELLS[ownerName][index]] as const))(
    "%s comes: %s",
    async (column, outcome) => {
      const { provider, ...somebody } = ARRIVALS[column];
      const email = addressOf("Someone");
      const ownerId = await createOwner(email, OWNERS[ownerName]);
      const before = await signInMethods(email);

      const browser = openBrowser(server);
      let answer = Response.error();
      const mails = await countMails(server, async () => {
        answer = await come(browser, provider, { email, ...somebody });
      });

      expect(mails).toBe(outcome === "new, unverified" || outcome === "linked" ? 1 : 0);
      if (outcome?.startsWith("new")) {
        await expectThrough(browser, answer, email.toLowerCase());
        const isVerified = outcome === "new, verified";
        expect(await userOf(email)).toMatchObject({ email_verified: isVerified });
        expect(await signInMethods(email)).toEqual([provider]);
        if (!isVerified) await mailTo(server, email.toLowerCase(), /^Confirm your email address/);
      } else if (outcome === "linked") {
        await expectThrough(browser, answer, email.toLowerCase());
        expect(await userOf(email)).toMatchObject({ id: ownerId });
        expect(await signInMethods(email)).toEqual([...before, provider].sort());
        const mail = await mailTo(server, email.toLowerCase(), /Google is connected/);
        expect(mail.text).toContain("Not you?");
      } else {
        const error = outcome as SignInError;
        await expectRefused(browser, answer, provider, error);
        expect(TABLE).toContain(`\`${error}\``);
        expect(await signInMethods(email)).toEqual(before);
      }
    },
  );
});

describe("an identity that is known", () => {
  test.each([
    ["google", { isVerified: true }],
    ["google", { isVerified: false }],
    ["google", { isShared: false }],
    ["facebook", {}],
    ["facebook", { isShared: false }],
  ] as const)("%s %o: signs in as its user, whatever the address", async (provider, somebody) => {
    const email = addressOf("known");
    await come(openBrowser(server), provider, { email });
    const id = (await userOf(email))?.id;
    const moved = addressOf("moved");
    await server.pool.query(`UPDATE "user" SET email = $1 WHERE id = $2`, [moved, id]);
    // Even when its address now belongs to another user.
    await createOwner(email, OWNERS["verified, password"]);

    const browser = openBrowser(server);
    const answer = await come(browser, provider, { email, ...somebody });

    await expectThrough(browser, answer, moved);
  });
});

async function expectThrough(browser: Browser, answer: Response, email: string) {
  expect([answer.status, answer.headers.get("location")?.replace(/#top$/, "")]).toEqual([303, "/dashboard"]);
  const { rows } = await server.pool.query(
    `SELECT email FROM "user" JOIN session ON session.user_id = "user".id WHERE session.token_hash = $1`,
    [hashSecret(sessionTokenOf(`session=${browser.cookies.get("session")}`))],
  );
  expect(rows).toEqual([{ email }]);
}

async function createOwner(
  email: string,
  owner: (typeof OWNERS)[keyof typeof OWNERS],
): Promise<string | null> {
  if (!owner) return null;
  const id = randomUUID();
  await server.pool.query(
    `INSERT INTO "user" (id, name, email, email_verified) VALUES ($1, 'Owner', $2, $3)`,
    [id, email.toLowerCase(), owner.isVerified],
  );
  await server.pool.query(
    `INSERT INTO account (id, account_id, provider_id, user_id, password)
     SELECT gen_random_uuid(), gen_random_uuid(), way, $1, CASE way WHEN 'credential' THEN 'a hash that no password has' END
     FROM unnest($2::text[]) AS way`,
    [id, owner.signInMethods],
  );
  return id;
}
