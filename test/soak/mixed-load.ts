import { setTimeout as sleep } from "node:timers/promises";
import { signTime } from "../../app/contact/fill-time.server.ts";
import { type Dice, pick } from "../dice.ts";
import { AUTH_SECRET } from "../server.ts";
import { PASSWORD, type Person } from "../users.ts";
import { type Buyer, choosePlan, compareBuyers, createBuyers, payAt } from "./checkouts.ts";
import { goOn, postAt, type Site } from "./site.ts";

/** Pause between two attempts, in milliseconds. */
const PAUSE_MILLISECONDS = 200;
/** 409: a repeated request whose first answer was lost. */
const TRY_AGAIN = [503, 429, 409];
const CODE = "MIXED";
/** People are created before the load starts, because the database may be away later. */
const PEOPLE = 3_000;

/** One write of one new person at some process. @returns whether it was acknowledged */
type Attempt = (post: Post, at: string) => Promise<boolean>;
/** Posts a form. @returns `null` for an answer of 400 or more */
type Post = (path: string, fields: Record<string, string>) => Promise<Answer | null>;

interface Answer {
  status: number;
  location: string;
}

interface Kind {
  attempt(site: Site, person: Person & Buyer): Attempt;
  /** Selects a row for each time it was done; `who` is the person's address. */
  done: string;
}

/** Done when the form redirects to this page. */
const sends =
  (path: string, fields: (person: Person) => Record<string, string>, to: string) =>
  (_site: Site, person: Person): Attempt =>
  async (post) =>
    (await post(path, fields(person)))?.location.startsWith(to) ?? false;

const KINDS = {
  "sign-up": {
    attempt: sends(
      "/register",
      ({ email }) => ({ name: "Ada", email: `new.${email}`, password: PASSWORD }),
      "/",
    ),
    // The account and exactly one mail.
    done: `SELECT substr(email, 5) AS who FROM "user" WHERE substr(email, 5) = ANY ($1) AND 1 =
      (SELECT count(*) FROM sandbox_mail.messages WHERE mail->>'to' = email)`,
  },
  waitlist: {
    attempt: sends("/waitlist", ({ email }) => ({ email, name: "Ada" }), "/waitlist"),
    done: "SELECT email AS who FROM waitlist WHERE email = ANY ($1)",
  },
  redeem: {
    attempt: () => async (post) =>
      (await post("/subscription", { form: "promo", code: CODE }))?.status === 200,
    done: "SELECT id || '@example.com' AS who FROM (SELECT user_id AS id FROM grants) AS g WHERE id || '@example.com' = ANY ($1)",
  },
  checkout: {
    attempt: (site, person) => (_post, at) => buy(site, at, person),
    done: `SELECT user_id || '@example.com' AS who FROM stripe_subscriptions WHERE user_id || '@example.com' = ANY ($1)`,
  },
  "plan change": {
    attempt: (site, person) => async (post, at) => {
      if (!(await buy(site, at, person))) return false;
      const price = "price_csv_banking_yearly";
      return confirm(post, `${at}/subscription/change?price=${price}`, person, ["at", "due"], { price });
    },
    done: `SELECT user_id || '@example.com' AS who FROM stripe_subscriptions
      WHERE price_id = 'price_csv_banking_yearly' AND user_id || '@example.com' = ANY ($1)`,
  },
  refund: {
    attempt: (site, person) => async (post, at) =>
      (await buy(site, at, person)) && confirm(post, `${at}/subscription/refund`, person, ["total"]),
    done: `SELECT user_id || '@example.com' AS who FROM customers
      JOIN sandbox_stripe.objects ON kind = 'refund' AND object->>'charge' IN
        (SELECT id FROM sandbox_stripe.objects AS c WHERE kind = 'charge' AND c.object->>'customer' = stripe_customer_id)
      WHERE user_id || '@example.com' = ANY ($1)`,
  },
  mail: {
    attempt: sends(
      "/contact",
      ({ email }) => ({
        name: "Ada",
        email,
        topic: "idea",
        message: `From ${email}.`,
        opened_at: signTime(Date.now() - 60_000, AUTH_SECRET),
      }),
      "/contact/sent",
    ),
    done: `SELECT DISTINCT email AS who FROM contact_messages JOIN sandbox_mail.messages
      ON strpos(mail->>'text', 'From ' || email || '.') > 0 WHERE email = ANY ($1)`,
  },
  deletion: {
    attempt: sends("/account/delete", ({ email }) => ({ email, subscription: "" }), "/account/deleted"),
    done: `SELECT who FROM unnest($1::text[]) AS who WHERE NOT EXISTS (SELECT FROM "user" WHERE email = who)`,
  },
} satisfies Record<string, Kind>;

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
export async function prepareMixedLoad({ pool }: Pick<Site, "pool">): Promise<void> {
  await pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [CODE]);
}

/** New people write, and try again until their write is acknowledged. */
export async function startMixedLoad(site: Site, kinds: readonly WriteKind[], atOnce: number, dice: Dice) {
  const people = await createBuyers(site, PEOPLE);
  const acknowledged: Acknowledged[] = [];
  /** Answers that are neither a success nor "try again". */
  const odd = new Set<string>();
  let next = 0;
  let giveUpAt = Number.POSITIVE_INFINITY;
  const end = goOn(atOnce, async () => {
    const buyer = people[next];
    if (!buyer) {
      odd.add(`more than ${PEOPLE} people were needed`);
      return sleep(1_000);
    }
    const person = Object.assign(buyer, { email: `${buyer.id}@example.com` });
    const kind = kinds[next++ % kinds.length] as WriteKind;
    const attempt = KINDS[kind].attempt(site, person);
    const isForm = ["sign-up", "waitlist", "mail"].includes(kind);
    while (performance.now() < giveUpAt) {
      const at = pick(dice, site.origins);
      const sentAt = performance.now();
      const post: Post = async (path, fields) => {
        const answer = await postAt(at, site, path, fields, isForm ? undefined : person.cookie);
        await answer.text();
        const { status } = answer;
        if (status >= 400 && !TRY_AGAIN.includes(status))
          odd.add(`${kind}: ${path} was answered with ${status}`);
        return status >= 400 ? null : { status, location: answer.headers.get("location") ?? "" };
      };
      if (await attempt(post, at).catch(() => false)) {
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
async function buy(site: Site, at: string, buyer: Buyer): Promise<boolean> {
  if (!buyer.paymentPage) await choosePlan(at, site.origin, buyer, "price_csv_only_yearly");
  if (buyer.paymentPage && !buyer.returnUrl) await payAt(at, buyer);
  return buyer.returnUrl !== null;
}

/** Sends the form of a page with its hidden fields. Until the payment is known the page has no form. */
async function confirm(
  post: Post,
  url: string,
  { cookie }: Person,
  names: readonly string[],
  fields: Record<string, string> = {},
): Promise<boolean> {
  const page = await (await fetch(url, { headers: { cookie } })).text();
  const values = names.map((name) => [name, new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1]]);
  if (values.some(([, value]) => value === undefined)) return false;
  const answer = await post(new URL(url).pathname, { ...fields, ...Object.fromEntries(values) });
  return answer?.location === "/dashboard";
}

/** Counts acknowledged writes that were lost or done twice, with a line for each. Call it when everything has settled. */
export async function compareWrites(
  site: Site,
  acknowledged: readonly Acknowledged[],
): Promise<{ lost: number; doubled: number; differences: string[] }> {
  const result = { lost: 0, doubled: 0, differences: [] as string[] };
  for (const [kind, writes] of Map.groupBy(acknowledged, (write) => write.kind)) {
    const { rows } = await site.pool.query(KINDS[kind].done, [writes.map(({ person }) => person.email)]);
    const done = Map.groupBy(rows, ({ who }) => who);
    for (const { person } of writes) {
      const count = done.get(person.email)?.length ?? 0;
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
