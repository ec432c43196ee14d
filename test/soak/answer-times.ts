import { randomUUID } from "node:crypto";
import { hashPassword } from "../../app/auth/passwords.server.ts";
import { createMembers } from "../../app/waitlist/members.fixture.ts";
import { postForm } from "../http.ts";
import { medianOf } from "../median.ts";
import { startServer, type TestServer } from "../server.ts";
import { createSignedInUser, PASSWORD } from "../users.ts";

/** How far apart the medians may be, in milliseconds. Smaller differences cannot be measured across the internet. */
const MOST_MILLISECONDS_APART = 10;

let passwordHash: Promise<string> | undefined;

type NewAddress = (server: TestServer) => Promise<string>;

/** All of the same length. */
const unknown: NewAddress = async () => `${randomUUID()}@example.com`;
/** Its password is hashed as the site does. */
const account: NewAddress = async ({ pool }) => {
  passwordHash ??= hashPassword(PASSWORD);
  const { id } = await createSignedInUser(pool);
  await pool.query("UPDATE account SET password = $2 WHERE user_id = $1", [id, await passwordHash]);
  return `${id}@example.com`;
};
const member =
  (isConfirmed: boolean): NewAddress =>
  async ({ pool }) =>
    (await createMembers(pool, 1, isConfirmed))[0]?.email ?? "";

/** Forms whose answer time must not reveal whether an address is known, with an unused address of each kind. */
const FORMS: [path: string, fields: Record<string, string>, kinds: Record<string, NewAddress>][] = [
  ["/login", { password: "not the password" }, { unknown, account }],
  ["/forgot-password", {}, { unknown, account }],
  ["/waitlist", {}, { unknown, waiting: member(false), confirmed: member(true) }],
];

/** Compares the answer times of forms by kind of address. The medians of all kinds must be close. */
export async function answerTimes(samples: number): Promise<string[]> {
  await using server = await startServer();
  const differences: string[] = [];
  for (const [path, fields, kinds] of FORMS) {
    const times = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]));
    // The first round is a warm-up. Each kind is first equally often, because the machine's load varies.
    for (let round = 0; round <= samples; round++) {
      const order = Object.entries(kinds);
      order.push(...order.splice(0, round % order.length));
      for (const [kind, newAddress] of order) {
        const email = await newAddress(server);
        const started = performance.now();
        await (await postForm(server, path, { email, ...fields })).text();
        if (round > 0) times.get(kind)?.push(performance.now() - started);
      }
    }
    for (const [kind, ofKind] of times) {
      // Pairs of one round.
      const apart = medianOf(ofKind.map((time, round) => time - (times.get("unknown")?.[round] ?? 0)));
      console.log(`${path}: ${kind} ${medianOf(ofKind).toFixed(2)} ms, apart ${apart.toFixed(2)} ms`);
      if (Math.abs(apart) > MOST_MILLISECONDS_APART)
        differences.push(`${path}: ${kind} is ${apart.toFixed(1)} ms apart`);
    }
  }
  return differences;
}
