import { randomUUID } from "node:crypto";
import { z } from "zod";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import type { Queryable } from "../../app/db/client.server.ts";
import { PLAN_NAMES, TIERS } from "../../app/entitlements/tiers.ts";
import { inviteForm, inviteNext, listInvitations, readInvitation } from "../../app/waitlist/invite.server.ts";
import { INVITE_ANYWAY, MOST_INVITED } from "../../app/waitlist/limits.ts";
import { countWaitlist, readQueued } from "../../app/waitlist/order.server.ts";
import { freeTime, lastDayOf } from "../../app/waitlist/rules.ts";
import { answerFrom } from "../open.ts";
import { checkInput, type OpsAnswer, type OpsCommands, OpsError, readArguments } from "./command.ts";

const DEFAULT_LISTED = 20;
const listed = z.object({ count: inviteForm.shape.count });

export const commands: OpsCommands = {
  counts: {
    usage: "counts",
    summary: "how many wait, were invited, used their code, and have not confirmed yet",
    async run(args) {
      readArguments(args, {});
      return answerFrom(({ db }) => describeCounts(db));
    },
  },
  list: {
    usage: "list [--count N]",
    summary: `who is next, in the order of the list; ${DEFAULT_LISTED} unless it says otherwise`,
    async run(args) {
      const { values } = readArguments(args, { count: { type: "string" } });
      const { count } = checkInput(listed, { count: values.count ?? String(DEFAULT_LISTED) });
      return answerFrom(({ db }) => describeNext(db, count));
    },
  },
  invite: {
    usage: `invite N --tier ${TIERS.join("|")} [--months N] [--until YYYY-MM-DD] [--id ID] [--preview] [--confirm "${INVITE_ANYWAY}"]`,
    summary: `emails the next N, up to ${MOST_INVITED.toLocaleString("en-US")}, a code each for a free month, or more with --months; --preview says who they are; the same --id invites once; --confirm is needed while no feature is open`,
    run: invite,
  },
  progress: {
    usage: "progress [ID]",
    summary: "how far an invitation has come; without ID the latest",
    async run(args) {
      const { positionals } = readArguments(args, {}, 1);
      return answerFrom(({ db }) => describeProgress(db, positionals[0]));
    },
  },
};

async function describeCounts(db: Queryable): Promise<OpsAnswer> {
  const counts = await countWaitlist(db);
  const orMore = ({ count, isMore }: typeof counts.used) => `${isMore ? "more than " : ""}${count}`;
  const text = [
    `${counts.waiting} waiting`,
    `${counts.invited} invited`,
    `${orMore(counts.used)} used their code`,
    `${orMore(counts.unconfirmed)} not confirmed`,
  ].join("\n");
  return { text, data: counts };
}

async function describeNext(db: Queryable, count: number): Promise<OpsAnswer> {
  const members = await readQueued(db, 0, count);
  const lines = members.map(
    ({ number, email, friends }) =>
      `${number}. ${email}${friends > 0 ? `, brought ${friends} ${friends === 1 ? "friend" : "friends"}` : ""}`,
  );
  return { text: lines.join("\n") || "nobody is waiting", data: members };
}

async function invite(args: string[]): Promise<OpsAnswer> {
  const { values, positionals } = readArguments(
    args,
    {
      tier: { type: "string" },
      months: { type: "string", default: "1" },
      until: { type: "string" },
      id: { type: "string" },
      preview: { type: "boolean" },
      confirm: { type: "string" },
    },
    1,
  );
  const { tier, months, until: last_day, id = randomUUID(), preview, confirm } = values;
  const typed = { count: positionals[0], tier, months, last_day, confirm };
  const input = checkInput(inviteForm, typed, { count: "N", last_day: "--until" });
  return answerFrom(async ({ db }, config) => {
    if (preview) return describeNext(db, input.count);
    const outcome = await inviteNext({ db, config }, COMMAND_LINE, String(id), input);
    if (!outcome.ok) throw new OpsError(outcome.message);
    return {
      text: `invited ${outcome.size} (${id}). The site writes to them: npm run ops -- waitlist progress ${id}`,
      data: { id, size: outcome.size },
    };
  });
}

async function describeProgress(db: Queryable, id: string | undefined): Promise<OpsAnswer> {
  const wanted = id ?? (await listInvitations(db, 1))[0]?.id;
  const invitation = wanted === undefined ? null : await readInvitation(db, wanted);
  if (!invitation) throw new OpsError(id ? `there is no invitation ${id}` : "nobody has been invited yet");
  const { size, written, left, redeemed, finishedAt } = invitation;
  const lines = [
    `${invitation.id}, begun ${invitation.createdAt.toISOString()}`,
    `${size} people, ${freeTime(invitation)} of ${PLAN_NAMES[invitation.tier]}, ${lastDayOf(invitation) ? `until ${lastDayOf(invitation)}` : "with no last day"}`,
    `${written} have their code, ${redeemed} have used it, ${left} are still to be written to, ${size - written - left} have left the list`,
    finishedAt ? `finished ${finishedAt.toISOString()}` : "not finished; it goes on while the site runs",
  ];
  return { text: lines.join("\n"), data: invitation };
}
