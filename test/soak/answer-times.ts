import { randomUUID } from "node:crypto";
import { createMembers } from "../../app/waitlist/members.fixture.ts";
import { postForm } from "../http.ts";
import { medianOf } from "../median.ts";
import { startServer, type TestServer } from "../server.ts";

/** How far apart the medians may be, in milliseconds. Smaller differences cannot be measured across the internet. */
const MOST_MILLISECONDS_APART = 10;

/** A form whose answer time must not reveal whether an address is known. */
interface Form {
  path: string;
  fields: Record<string, string>;
  /** Creates an unused address of each kind. */
  kinds: Record<string, (server: TestServer) => Promise<string>>;
}

const byAccount = { known: insertUser, unknown: async () => newAddress() };
const FORMS: Form[] = [
  { path: "/login", fields: { password: "not the password" }, kinds: byAccount },
  { path: "/forgot-password", fields: {}, kinds: byAccount },
  {
    path: "/waitlist",
    fields: {},
    kinds: {
      new: async () => newAddress(),
      waiting: (server) => insertMember(server, false),
      confirmed: (server) => insertMember(server, true),
    },
  },
];

/** Compares the answer times of forms by kind of address. The medians of all kinds must be close. */
export async function answerTimes(samples: number): Promise<string[]> {
  const server = await startServer();
  try {
    const differences: string[] = [];
    for (const form of FORMS) differences.push(...(await compare(server, form, samples)));
    return differences;
  } finally {
    await server.stop();
  }
}

async function compare(
  server: TestServer,
  { path, fields, kinds }: Form,
  samples: number,
): Promise<string[]> {
  const names = Object.keys(kinds);
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  // The first round is a warm-up.
  for (let round = 0; round <= samples; round++) {
    const emails = new Map<string, string>();
    for (const name of names) emails.set(name, (await kinds[name]?.(server)) ?? "");
    // In turn, and each kind first equally often, because the machine's load varies.
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + round) % names.length] ?? "";
      const started = performance.now();
      await (await postForm(server, path, { email: emails.get(name) ?? "", ...fields })).text();
      if (round > 0) times.get(name)?.push(performance.now() - started);
    }
  }
  const [[first = "", ofFirst = []] = [], ...others] = [...times];
  console.log(`${path}: ${first} ${medianOf(ofFirst).toFixed(2)} ms, median of ${samples}`);
  return others.flatMap(([name, ofOther]) => {
    // Pairs of one round, because the machine's load varies between rounds.
    const apart = medianOf(ofOther.map((time, round) => time - (ofFirst[round] ?? 0)));
    console.log(`  ${name} ${medianOf(ofOther).toFixed(2)} ms, apart ${apart.toFixed(2)} ms`);
    return Math.abs(apart) > MOST_MILLISECONDS_APART
      ? [`${path}: ${first} and ${name} are ${apart.toFixed(1)} ms apart`]
      : [];
  });
}

/** All of the same length. */
const newAddress = () => `${randomUUID()}@example.com`;

/** Creates an account with a password hash of the usual format, which no password matches. */
async function insertUser({ pool }: TestServer): Promise<string> {
  const id = randomUUID();
  const email = newAddress();
  await pool.query(`INSERT INTO "user" (id, name, email) VALUES ($1, 'Ada', $2)`, [id, email]);
  await pool.query(
    "INSERT INTO account (id, account_id, provider_id, user_id, password) VALUES ($1, $1, 'credential', $1, $2)",
    [id, `${"0".repeat(32)}:${"0".repeat(128)}`],
  );
  return email;
}

async function insertMember({ pool }: TestServer, isConfirmed: boolean): Promise<string> {
  const [member] = await createMembers(pool, 1, isConfirmed);
  if (!member) throw new Error("no member was made");
  return member.email;
}
