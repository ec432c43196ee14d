import { randomUUID } from "node:crypto";
import { z } from "zod";
import { exportAccount } from "../../app/account/export.server.ts";
import { deletePerson, notePersonExported } from "../../app/admin/people/delete-and-export.server.ts";
import { FLASHES, type FlashName, NOT_DELETED } from "../../app/admin/people/flashes.ts";
import { readPerson } from "../../app/admin/people/read-person.server.ts";
import { readTimeline } from "../../app/admin/people/timeline.server.ts";
import { search } from "../../app/admin/search/search.server.ts";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import type { user } from "../../app/auth/schema.ts";
import { removeSecondFactor } from "../../app/auth/second-factor/change-factors.server.ts";
import { isOnAdminList } from "../../app/auth/session.server.ts";
import { signOutEverywhere } from "../../app/auth/support-actions.server.ts";
import { changeByOperator, reviewPlanChange } from "../../app/billing/plan/change-by-operator.server.ts";
import { creditByOperator, reviewCredit } from "../../app/billing/plan/credit-by-operator.server.ts";
import { endByOperator, endTerms, reviewEnd } from "../../app/billing/plan/end-by-operator.server.ts";
import type { Confirmed } from "../../app/billing/plan/operator-decision.server.ts";
import { readPlanInForce } from "../../app/billing/plan/plan-overview.server.ts";
import { againTerms, refundAgain, reviewRefundAgain } from "../../app/billing/plan/refund-again.server.ts";
import { refundByOperator } from "../../app/billing/plan/refund-by-operator.server.ts";
import { syncPerson } from "../../app/billing/sync/sync-person.server.ts";
import type { Database } from "../../app/db/client.server.ts";
import { PLAN_NAMES } from "../../app/entitlements/tiers.ts";
import type { Failure } from "../../app/http/errors.ts";
import type { Message } from "../../app/mail/message.ts";
import { toPlainText } from "../../app/mail/plain-text.ts";
import {
  accessToGive,
  giveAccess,
  operatorReason,
  revokeGrant,
} from "../../app/promo/given-access.server.ts";
import { foldAddress } from "../../app/ui/email-address.ts";
import { checkInput, FAILED, type OpsAnswer, type OpsCommands, OpsError, USAGE_ERROR } from "./command.ts";
import { findPerson, type Parts, readPersonArguments, withParts } from "./person-arguments.ts";

const WHO = "EMAIL|NUMBER";
const REASON = "--reason WORDS";
const withReason = z.object({ reason: operatorReason });

export const commands: OpsCommands = {
  find: {
    usage: "find WORDS",
    summary: "what the console’s search finds: by address, name, number, code, or an id from Stripe",
    run: (args) => withParts((parts) => find(parts, args.join(" "))),
  },
  show: {
    usage: `show ${WHO}`,
    summary: "what somebody holds and why, their payments, and what happened lately",
    run: (args) => onPerson(args, [], ({ app }, { id }) => describePerson(app.db, id)),
  },
  sync: {
    usage: `sync ${WHO} [--customer cus_…]`,
    summary:
      "asks Stripe what they pay for, and stores what differs; --customer: theirs, should it be missing here",
    run: (args) =>
      onPerson(args, ["customer"], async ({ app }, { id }, { customer }) => {
        const said = await syncPerson(app, COMMAND_LINE, id, customer);
        if (said === "no_account") throw gone();
        return answerWith(said, ["changed", "same"]);
      }),
  },
  give: {
    usage: `give ${WHO} --tier basic|premium [--months N | --until YYYY-MM-DD] ${REASON}`,
    summary: "gives a plan, for a month unless it says otherwise",
    run: (args) =>
      onPerson(
        args,
        ["tier", "months", "until", "reason"],
        async ({ app }, { id }, { until, ...options }) => {
          const access = checkInput(accessToGive, { ...options, lastDay: until }, { lastDay: "--until" });
          const grant = randomUUID();
          if ((await giveAccess(app.db, COMMAND_LINE, id, grant, access)) === "no_account") throw gone();
          return { text: `Given: grant ${grant}`, data: { grant } };
        },
      ),
  },
  revoke: {
    usage: `revoke ${WHO} GRANT ${REASON}`,
    summary: "takes a plan back that a code or an operator gave; `show` says the number of the grant",
    run: (args) =>
      onPerson(args, ["reason"], async ({ app }, { id }, { reason }, grant) => {
        if (!grant) throw new OpsError("say which grant", USAGE_ERROR);
        const why = checkInput(withReason, { reason });
        return answerWith(await revokeGrant(app.db, COMMAND_LINE, id, grant, why.reason), ["revoked"]);
      }),
  },
  refund: {
    usage: `refund ${WHO} ${REASON}`,
    summary: "pays back what was due when they asked and ends their plan, however many refunds they had",
    run: (args) =>
      onPerson(args, ["reason"], async ({ app }, person, { reason }) => {
        const why = checkInput(withReason, { reason });
        const outcome = await refundByOperator(app, COMMAND_LINE, person, { ...why, total: null });
        if (outcome !== "refunded") throw new OpsError(outcome.message);
        return answerWith(outcome, ["refunded"]);
      }),
  },
  end: {
    usage: `end ${WHO} [--when now|period_end] [--refund whole|AMOUNT] [--yes] ${REASON}`,
    summary: "cancels a plan, and refunds what is said; without --yes it only says what it would do",
    run: (args) =>
      onMoney(
        args,
        ["when", "refund"],
        async (app, person, { when = "period_end", refund = "none" }, confirm) => {
          const chosen = ["whole", "none"].includes(refund) ? { refund } : { refund: "part", amount: refund };
          const terms = checkInput(endTerms, { when, ...chosen });
          const review = await reviewEnd(app, person, terms);
          if (!review.ok || !confirm) return review;
          return endByOperator(app, COMMAND_LINE, person, terms, { ...confirm(review), total: review.total });
        },
      ),
  },
  change: {
    usage: `change ${WHO} --price price_… [--yes] ${REASON}`,
    summary: "changes a plan as its owner would; without --yes it only says what that costs",
    run: (args) =>
      onMoney(args, ["price"], async (app, person, { price = null }, confirm) => {
        const found = await reviewPlanChange(app, person, price);
        if (!found.ok || !confirm || !found.review) return found;
        const { price: to, startsAt, due } = found.review;
        const fields = { price: to.id, at: String(Math.floor(startsAt.getTime() / 1000)), due: String(due) };
        return changeByOperator(app, COMMAND_LINE, person, fields, confirm(found));
      }),
  },
  credit: {
    usage: `credit ${WHO} --amount 10.00 [--yes] ${REASON}`,
    summary: "gives a credit on the next payments; without --yes it only says what that changes",
    run: (args) =>
      onMoney(args, ["amount"], async (app, person, { amount = "" }, confirm) => {
        const review = await reviewCredit(app, person, amount);
        if (!review.ok || !confirm) return review;
        return creditByOperator(app, COMMAND_LINE, person, amount, confirm(review));
      }),
  },
  "refund-again": {
    usage: `refund-again ${WHO} [--how card|other] [--yes] ${REASON}`,
    summary: "pays a refund again that failed at the bank, or notes that it was paid in another way",
    run: (args) =>
      onMoney(args, ["how"], async (app, person, { how = "card" }, confirm) => {
        const terms = checkInput(againTerms, { how });
        const review = await reviewRefundAgain(app, person, terms);
        if (!review.ok || !confirm) return review;
        return refundAgain(app, COMMAND_LINE, person, terms, { ...confirm(review), total: review.total });
      }),
  },
  "sign-out": {
    usage: `sign-out ${WHO}`,
    summary: "signs them out on every device",
    run: (args) =>
      onPerson(args, [], async ({ app }, { id }) => {
        const sessions = await signOutEverywhere(app.db, COMMAND_LINE, id);
        return { text: `Signed out of ${sessions} sessions`, data: { sessions } };
      }),
  },
  "remove-second-factor": {
    usage: `remove-second-factor ${WHO} ${REASON}`,
    summary: "for somebody who lost their phone and their recovery codes; they are told by mail",
    run: (args) =>
      onPerson(args, ["reason"], async ({ app }, { id: userId }, { reason }) => {
        const why = checkInput(withReason, { reason });
        const removal = await removeSecondFactor(app.db, app.config.site, COMMAND_LINE, { userId, ...why });
        if (removal === "gone") throw gone();
        return answerWith(removal === "removed" ? "factor_removed" : "no_factor", ["factor_removed"]);
      }),
  },
  export: {
    usage: `export ${WHO}`,
    summary: "prints the same JSON as their own button gives them",
    run: (args) =>
      onPerson(args, [], async ({ app }, { id }) => {
        if (!(await notePersonExported(app.db, COMMAND_LINE, id))) throw gone();
        const copy = { product: app.config.site.product, exportedAt: new Date() };
        const data = { ...copy, ...(await exportAccount(app.db, id)) };
        return { text: JSON.stringify(data, null, 2), data };
      }),
  },
  delete: {
    usage: `delete ${WHO} --confirm EMAIL ${REASON}`,
    summary: "deletes an account at its owner’s request, as their own button does; what they pay for ends",
    run: (args) => onPerson(args, ["confirm", "reason"], remove),
  },
};

async function find({ app }: Parts, words: string): Promise<OpsAnswer> {
  if (words.trim() === "") throw new OpsError("say what to look for", USAGE_ERROR);
  const { hits, note } = await search(app, words);
  if (hits.length === 0) throw new OpsError(note ?? "nothing found");
  const lines = hits.map(
    ({ kind, title, detail, href }) => `${kind}  ${title}  ${detail.replace("\n", ", ")}  ${href}`,
  );
  return { text: lines.join("\n"), data: { hits, note } };
}

/** What the page of a person shows, and the newest of what happened. `null`: there is no such account. */
async function describePerson(db: Database, userId: string): Promise<OpsAnswer | null> {
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

async function remove(
  { app }: Parts,
  person: typeof user.$inferSelect,
  { confirm, reason }: Partial<Record<string, string>>,
): Promise<OpsAnswer> {
  const { reason: why } = checkInput(withReason, { reason });
  if (foldAddress(confirm ?? "").toLowerCase() !== person.email)
    throw new OpsError("--confirm: give the address of the account, as it is now", USAGE_ERROR);
  if (person.emailVerified && isOnAdminList(app, person)) throw new OpsError(NOT_DELETED.operator);
  const plan = await readPlanInForce(app.db, person.id);
  const outcome = await deletePerson(app, COMMAND_LINE, person.id, plan?.subscriptionId ?? null, why);
  if (outcome !== "deleted") throw new OpsError(NOT_DELETED[outcome]);
  return {
    text: `Deleted${plan ? `, and ${plan.name} has ended` : ""}`,
    data: { deleted: person.id, ended: plan?.subscriptionId ?? null },
  };
}

/** Previews what is decided about a person's money; with --yes it is done, and the answer has nothing but that. */
function onMoney(
  args: string[],
  names: readonly string[],
  run: (
    app: Parts["app"],
    person: typeof user.$inferSelect,
    options: Partial<Record<string, string>>,
    confirm: ((review: { seen: string }) => Confirmed) | null,
  ) => Promise<{ ok: true; mails?: Message[] } | Failure>,
): Promise<OpsAnswer> {
  const isSure = args.includes("--yes");
  const words = args.filter((word) => word !== "--yes");
  return onPerson(words, [...names, "reason"], async ({ app }, person, { reason, ...options }) => {
    const why = isSure ? checkInput(withReason, { reason }) : null;
    const outcome = await run(app, person, options, why && (({ seen }) => ({ seen, ...why })));
    if (!outcome.ok) throw new OpsError(outcome.message);
    if (isSure)
      return { text: "Done. Refunds, credits and mails leave within seconds.", data: { done: true } };
    const { mails = [], ...preview } = outcome;
    const texts = mails.map((mail) => `They get this email:\n\n${toPlainText(app.config.site, mail)}`);
    const text = [JSON.stringify(preview, null, 2), ...texts, "Nothing was done. Add --yes to do it."].join(
      "\n\n",
    );
    return { text, data: { ...preview, mails } };
  });
}

/** Runs with the account that the first argument names. */
function onPerson(
  args: string[],
  names: readonly string[],
  run: (
    parts: Parts,
    person: typeof user.$inferSelect,
    options: Partial<Record<string, string>>,
    further: string | undefined,
  ) => Promise<OpsAnswer | null>,
): Promise<OpsAnswer> {
  const { who, further, options } = readPersonArguments(args, names);
  return withParts(async (parts) => {
    const person = await findPerson(parts.app.db, who);
    const answer = person && (await run(parts, person, options, further));
    if (!answer) throw gone();
    return answer;
  });
}

const gone = () => new OpsError("there is no account with that address or number");

/** The console’s own words for what was done. */
function answerWith(said: FlashName, successes: readonly FlashName[]): OpsAnswer {
  const [, text] = FLASHES[said];
  return { text, data: { outcome: said }, exitCode: successes.includes(said) ? 0 : FAILED };
}
