import { setTimeout as sleep } from "node:timers/promises";
import { signTime } from "../../app/contact/fill-time.server.ts";
import { type Buyer, choosePlan, compareBuyers, createBuyers, payAt } from "../checkouts.ts";
import { type Dice, pick } from "../dice.ts";
import { goOn } from "../loops.ts";
import { postAt, type Site } from "../running-site.ts";
import { AUTH_SECRET } from "../server.ts";
import { PASSWORD, type Person } from "../users.ts";

/** Pause between two attempts, in milliseconds. */
const PAUSE_MILLISECONDS = 200;
/** 409: a repeated request whose first answer was lost. */
const TRY_AGAIN = [503, 429, 409];
const CODE = "MIXED";
/** People are created before the load starts, because the database may be away later. */
const PEOPLE = 3_000;

/** One attempt of a new person to write something, at one of the processes. */
interface Attempt {
  site: Site;
  at: string;
  person: Person & Buyer;
  /** Posts a form. @returns where its answer leads; empty for a page, `null` for an answer of 400 or more */
  post(path: string, fields: Record<string, string>): Promise<string | null>;
}

interface Kind {
  /** @returns whether it was acknowledged */
  attempt(attempt: Attempt): Promise<boolean>;
  /** What of the database joins `people`, by id and address, once for each time it was done. */
  done: string;
}

const KINDS = {
  "sign-up": {
    attempt: async ({ post, person: { email } }) =>
      leadsTo("/", await post("/register", { name: "Ada", email: `new.${email}`, password: PASSWORD })),
    // The account and exactly one mail.
    done: `JOIN "user" ON "user".email = 'new.' || people.email
      WHERE 1 = (SELECT count(*) FROM sandbox_mail.messages WHERE mail->>'to' = "user".email)`,
  },
  waitlist: {
    attempt: async ({ post, person: { email } }) =>
      leadsTo("/waitlist", await post("/waitlist", { email, name: "Ada" })),
    done: "JOIN waitlist USING (email)",
  },
  redeem: {
    attempt: async ({ post }) => (await post("/subscription", { form: "promo", code: CODE })) === "",
    done: "JOIN grants ON user_id = people.id",
  },
  checkout: {
    attempt: buy,
    done: "JOIN stripe_subscriptions ON user_id = people.id",
  },
  "plan change": {
    attempt: async (attempt) => {
      const price = "price_csv_banking_yearly";
      const page = `/subscription/change?price=${price}`;
      return (await buy(attempt)) && confirm(attempt, page, ["at", "due"], { price });
    },
    done: "JOIN stripe_subscriptions ON user_id = people.id AND price_id = 'price_csv_banking_yearly'",
  },
  refund: {
    attempt: async (attempt) => (await buy(attempt)) && confirm(attempt, "/subscription/refund", ["total"]),
    done: `JOIN customers ON user_id = people.id
      JOIN sandbox_stripe.objects AS charge
        ON charge.kind = 'charge' AND charge.object->>'customer' = stripe_customer_id
      JOIN sandbox_stripe.objects AS refund
        ON refund.kind = 'refund' AND refund.object->>'charge' = charge.id`,
  },
  mail: {
    attempt: async ({ post, person: { email } }) =>
      leadsTo("/contact/sent", await post("/contact", contactMessage(email))),
    done: `WHERE EXISTS (SELECT FROM contact_messages
      JOIN sandbox_mail.messages ON strpos(mail->>'text', 'From ' || email || '.') > 0
      WHERE email = people.email)`,
  },
  deletion: {
    attempt: async ({ post, person: { email } }) =>
      leadsTo("/account/deleted", await post("/account/delete", { email, subscription: "" })),
    done: `WHERE NOT EXISTS (SELECT FROM "user" WHERE email = people.email)`,
  },
} satisfies Record<string, Kind>;

/** A message for the contact form, typed in a minute. */
export function contactMessage(email: string): Record<string, string> {
  const opened_at = signTime(Date.now() - 60_000, AUTH_SECRET);
  return { name: "Ada", email, topic: "idea", message: `From ${email}.`, opened_at };
}

const leadsTo = (page: string, location: string | null) => location?.startsWith(page) ?? false;

export type WriteKind = keyof typeof KINDS;
export const ALL_KINDS = Object.keys(KINDS) as WriteKind[];

/** An acknowledged write. Times by `performance.now()`. */
export interface Acknowledged {
  kind: WriteKind;
  person: Person & Buyer;
  /** When the attempt that succeeded was sent. */
  sentAt: number;
  at: number;
}

export type MixedLoad = Awaited<ReturnType<typeof startMixedLoad>>;

/** Creates the code that the load redeems. */
export async function prepareMixedLoad({ pool }: Site): Promise<void> {
  await pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [CODE]);
}

/** New people write, and try again until their write is acknowledged. */
export async function startMixedLoad(
  site: Site,
  kinds: readonly WriteKind[],
  atOnce: number,
  dice: Dice,
  most = PEOPLE,
) {
  const people = await createBuyers(site, most);
  const acknowledged: Acknowledged[] = [];
  /** Answers that are neither a success nor "try again". */
  const odd = new Set<string>();
  let next = 0;
  let giveUpAt = Number.POSITIVE_INFINITY;
  const end = goOn(atOnce, async () => {
    const buyer = people[next];
    if (!buyer) {
      odd.add(`more than ${most} people were needed`);
      return sleep(1_000);
    }
    const person = Object.assign(buyer, { email: `${buyer.id}@example.com` });
    const kind = kinds[next++ % kinds.length] as WriteKind;
    const cookie = ["sign-up", "waitlist", "mail"].includes(kind) ? undefined : person.cookie;
    while (performance.now() < giveUpAt) {
      const at = pick(dice, site.origins);
      const sentAt = performance.now();
      const post = async (path: string, fields: Record<string, string>) => {
        const answer = await postAt(at, site, path, fields, cookie);
        await answer.text();
        const { status } = answer;
        if (status < 400) return answer.headers.get("location") ?? "";
        if (!TRY_AGAIN.includes(status)) odd.add(`${kind}: ${path} was answered with ${status}`);
        return null;
      };
      if (await KINDS[kind].attempt({ site, at, person, post }).catch(() => false)) {
        acknowledged.push({ kind, person, sentAt, at: performance.now() });
        break;
      }
      await sleep(PAUSE_MILLISECONDS);
    }
    await sleep(PAUSE_MILLISECONDS);
  });
  return {
    acknowledged,
    odd,
    /** Resolves when all that is under way is acknowledged, or has been tried for ten more seconds. */
    async stop(): Promise<void> {
      giveUpAt = performance.now() + 10_000;
      await end();
    },
  };
}

/** Buys the smaller plan, continuing where an earlier attempt stopped. */
async function buy({ site, at, person }: Attempt): Promise<boolean> {
  if (!person.paymentPage) await choosePlan(at, site.origin, person, "price_csv_only_yearly");
  if (person.paymentPage && !person.returnUrl) await payAt(at, person);
  return person.returnUrl !== null;
}

/** Sends the form of a page with its hidden fields. Until the payment is known the page has no form. */
async function confirm(
  { at, person: { cookie }, post }: Attempt,
  path: string,
  names: readonly string[],
  fields: Record<string, string> = {},
): Promise<boolean> {
  const page = await (await fetch(at + path, { headers: { cookie } })).text();
  const values = names.map((name) => [name, new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1]]);
  if (values.some(([, value]) => value === undefined)) return false;
  const { pathname } = new URL(at + path);
  return (await post(pathname, { ...fields, ...Object.fromEntries(values) })) === "/dashboard";
}

/** Counts acknowledged writes that were lost or done twice, with a line for each. Call it when everything has settled. */
export async function compareWrites(
  site: Site,
  acknowledged: readonly Acknowledged[],
): Promise<{ lost: number; doubled: number; differences: string[] }> {
  const result = { lost: 0, doubled: 0, differences: [] as string[] };
  for (const [kind, writes] of Map.groupBy(acknowledged, (write) => write.kind)) {
    const { rows } = await site.pool.query(
      `WITH people AS (SELECT id, id || '@example.com' AS email FROM unnest($1::text[]) AS id)
       SELECT people.id FROM people ${KINDS[kind].done}`,
      [writes.map(({ person }) => person.id)],
    );
    const done = Map.groupBy(rows, ({ id }) => id);
    for (const { person } of writes) {
      const count = done.get(person.id)?.length ?? 0;
      if (count === 1) continue;
      result[count === 0 ? "lost" : "doubled"]++;
      result.differences.push(`${kind} of ${person.id}: acknowledged, and done ${count} times`);
    }
  }
  const buyers = acknowledged.flatMap(({ kind, person }) => (kind === "checkout" ? person : []));
  const unlike = await compareBuyers(site, buyers);
  result.doubled += unlike.length;
  result.differences.push(...unlike);
  return result;
}

/** `412 sign-up, 398 redeem` */
export function countByKind(acknowledged: readonly Acknowledged[]): string {
  return [...Map.groupBy(acknowledged, ({ kind }) => kind)]
    .map(([kind, writes]) => `${writes.length} ${kind}`)
    .join(", ");
}
