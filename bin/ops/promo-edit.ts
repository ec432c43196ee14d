import { fieldMoment } from "../../app/admin/codes/code-words.ts";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import {
  editPromoCode,
  findPromoCode,
  type PromoCodeRow,
  versionOf,
} from "../../app/promo/manage-codes.server.ts";
import { promoChange, termsOf } from "../../app/promo/promo-terms.server.ts";
import { normalizePromoCode } from "../../app/promo/rules.ts";
import { answerFrom } from "../open.ts";
import { checkInput, type OpsCommand, OpsError, USAGE_ERROR } from "./command.ts";
import {
  NAMES,
  type PromoArguments,
  readPromoArguments,
  requireWord,
  TERMS,
  TERMS_USAGE,
} from "./promo-arguments.ts";

/** Takes a value away: no end, no limit, the user's choice. */
const NONE = "none";

/** Changes what is named, and leaves the rest. */
export const edit: OpsCommand = {
  usage: `edit CODE ${TERMS_USAGE} [--anyone] [--each-address] [--note TEXT]`,
  summary: `changes a code from now on, never what it gave; "${NONE}" takes a value away`,
  run(args) {
    const { words, fields, more } = readPromoArguments(args, [...TERMS, "note"], {
      anyone: { type: "boolean" },
      "each-address": { type: "boolean" },
    });
    const code = normalizePromoCode(requireWord(words, "CODE"));
    if (more.anyone && fields.confirmedOnly)
      throw new OpsError("choose --anyone or --confirmed-only", USAGE_ERROR);
    if (more["each-address"] && fields.oncePerMailbox)
      throw new OpsError("choose --each-address or --once-per-mailbox", USAGE_ERROR);
    return answerFrom(async ({ db }) => {
      const row = await findPromoCode(db, code);
      if (!row) throw new OpsError("there is no such code");
      const wanted = checkInput(promoChange, changed(row, fields, more), NAMES);
      const input = { ...termsOf(wanted), note: wanted.note || null };
      const outcome = await editPromoCode(db, COMMAND_LINE, code, input, versionOf(row));
      if (!outcome.ok) throw new OpsError(outcome.message);
      return {
        text: outcome.isChanged ? `changed ${code}` : `${code} was like that already`,
        data: await findPromoCode(db, code),
      };
    });
  },
};

/** The code as the form of the console would send it. */
function changed(row: PromoCodeRow, fields: PromoArguments["fields"], more: PromoArguments["more"]) {
  const before = {
    tier: row.tier,
    months: row.durationType === "months" ? String(row.durationMonths ?? 1) : null,
    forever: row.durationType === "forever",
    maxUses: row.maxUses?.toString(),
    startsAt: fieldMoment(row.startsAt),
    expiresAt: fieldMoment(row.expiresAt),
    confirmedOnly: row.confirmedOnly,
    oncePerMailbox: row.oncePerMailbox,
    note: row.note,
  };
  const after = {
    ...before,
    ...(fields.months !== undefined && { forever: false }),
    ...(fields.forever !== undefined && { months: null }),
    ...(more.anyone && { confirmedOnly: false }),
    ...(more["each-address"] && { oncePerMailbox: false }),
    ...fields,
  };
  return Object.fromEntries(
    Object.entries(after).filter(([, value]) => value !== null && value !== "" && value !== NONE),
  );
}
