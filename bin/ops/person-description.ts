import { readPerson } from "../../app/admin/people/read-person.server.ts";
import { readTimeline } from "../../app/admin/people/timeline.server.ts";
import type { Database } from "../../app/db/client.server.ts";
import { PLAN_NAMES } from "../../app/entitlements/tiers.ts";
import type { OpsAnswer } from "./command.ts";

/** What the page of a person shows, and the newest of what happened. `null`: there is no such account. */
export async function describePerson(db: Database, userId: string): Promise<OpsAnswer | null> {
  const found = await readPerson(db, userId);
  if (!found) return null;
  const { person, plan, holdings, customer, signIn, sameMailbox } = found;
  const history = await readTimeline(db, person, customer?.stripeCustomerId ?? null, null);
  const events = history.rows.map(({ at, kind, text }) => ({ at, kind, what: text }));
  const lines = [
    `${person.email} (${person.id})${person.emailVerified ? "" : ", not confirmed"}`,
    ...sameMailbox.map(({ id, email }) => `same mailbox: ${email} (${id})`),
    `has ${plan ? PLAN_NAMES[plan.tier] : "no plan"}`,
    ...holdings.map(
      ({ id, state, tier, source, why, until }) =>
        `  ${state}: ${PLAN_NAMES[tier]}, ${source}${why ? `, ${why}` : ""}, until ${until.toISOString()}, ${id}`,
    ),
    `signs in with ${signIn.methods.join(", ") || "nothing"}; second factor: ${signIn.secondFactor.join(", ") || "none"}`,
    `at Stripe: ${customer?.stripeCustomerId ?? "nobody"}`,
    ...history.rows.map(({ at, topic, text }) => `  ${at.toISOString()}  ${topic}  ${text}`),
  ];
  return { text: lines.join("\n"), data: { ...found, history: events } };
}
