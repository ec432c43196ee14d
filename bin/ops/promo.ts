import { randomUUID } from "node:crypto";
import { codeList, type ListedCode } from "../../app/admin/codes/lists.server.ts";
import { CSV_CHUNK, CSV_START, csvLine, noteDownload } from "../../app/admin/lists/csv.server.ts";
import type { ListPage } from "../../app/admin/lists/keyset.server.ts";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import type { Database } from "../../app/db/client.server.ts";
import { createPromoBatch, makeBatchCodes, readPromoBatch } from "../../app/promo/batches.server.ts";
import {
  addPromoCode,
  findPromoCode,
  type PromoCodeRow,
  setPaused,
} from "../../app/promo/manage-codes.server.ts";
import { newPromoBatch, newPromoCode } from "../../app/promo/promo-terms.server.ts";
import { randomPromoCode } from "../../app/promo/random-code.server.ts";
import { describeDuration, normalizePromoCode, stateOfPromoCode } from "../../app/promo/rules.ts";
import { answerFrom } from "../open.ts";
import { checkInput, type OpsAnswer, type OpsCommands, OpsError, USAGE_ERROR } from "./command.ts";
import { NAMES, readPromoArguments, requireWord, TERMS, TERMS_USAGE } from "./promo-arguments.ts";
import { edit } from "./promo-edit.ts";

const NONE = "there is no such code";

export const commands: OpsCommands = {
  list: {
    usage: "list [--batch ID] [--after CURSOR]",
    summary: "50 codes at a time, newest first: those made one by one, or those of a batch",
    run(args) {
      const { words, more } = readPromoArguments(args, [], {
        batch: { type: "string" },
        after: { type: "string" },
      });
      if (words.length > 0) throw new OpsError(`unexpected: ${words.join(" ")}`, USAGE_ERROR);
      const search = Object.entries(more).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
      return answerFrom(async ({ db }, config) => {
        const { read, readQuery } = codeList(config.publicOrigin);
        const page = await read(db, readQuery(new URLSearchParams(search)));
        const lines = page.rows.map(inOneLine);
        const more = page.next ? [`more: --after ${page.next}`] : [];
        return { text: [...lines, ...more].join("\n") || "no promo codes", data: page };
      });
    },
  },
  show: {
    usage: "show CODE",
    summary: "what a code gives, its dates and uses, and whether it can be redeemed",
    run: (args) => withCode(args, async (_, row) => inFull(row)),
  },
  create: {
    usage: `create CODE|--random ${TERMS_USAGE} [--note TEXT]`,
    summary:
      "creates a code; without --tier people choose, without --months it gives one month; times in UTC",
    run(args) {
      const { words, fields, more } = readPromoArguments(args, [...TERMS, "note"], {
        random: { type: "boolean" },
      });
      const code = more.random && words.length === 0 ? randomPromoCode() : requireWord(words, "CODE");
      const input = checkInput(newPromoCode, { ...fields, code }, NAMES);
      return answerFrom(async ({ db }) => {
        const created = await addPromoCode(db, COMMAND_LINE, input);
        if (!created) throw new OpsError(`${input.code} exists already; it was left as it is`);
        return { text: `created ${created.code}`, data: created };
      });
    },
  },
  batch: {
    usage: `batch NAME --size N ${TERMS_USAGE}`,
    summary: "makes up to 10,000 random codes with the same terms; export prints them",
    run(args) {
      const { words, fields } = readPromoArguments(args, [...TERMS, "size"]);
      const input = checkInput(newPromoBatch, { ...fields, name: requireWord(words, "NAME") }, NAMES);
      return answerFrom(async ({ db }) => {
        const id = randomUUID();
        await createPromoBatch(db, COMMAND_LINE, id, input);
        // Makes them here at once. If this is interrupted, the site's job continues.
        await makeBatchCodes(db, id);
        return { text: `made ${input.size} codes: batch ${id}`, data: await readPromoBatch(db, id) };
      });
    },
  },
  pause: {
    usage: "pause CODE",
    summary: "nobody can redeem it until it is resumed; plans it gave stay",
    run: (args) => setState(args, true),
  },
  resume: {
    usage: "resume CODE",
    summary: "it can be redeemed again, within its dates and uses",
    run: (args) => setState(args, false),
  },
  edit,
  export: {
    usage: "export BATCH",
    summary: "prints the codes of a batch as CSV",
    run(args) {
      const id = requireWord(readPromoArguments(args).words, "BATCH");
      return answerFrom(({ db }, config) => exportBatch(db, config.publicOrigin, id));
    },
  },
};

function withCode(
  args: string[],
  answer: (db: Database, row: PromoCodeRow) => Promise<OpsAnswer>,
): Promise<OpsAnswer> {
  const code = normalizePromoCode(requireWord(readPromoArguments(args).words, "CODE"));
  return answerFrom(async ({ db }) => {
    const row = await findPromoCode(db, code);
    if (!row) throw new OpsError(NONE);
    return answer(db, row);
  });
}

function setState(args: string[], isPaused: boolean): Promise<OpsAnswer> {
  return withCode(args, async (db, { code }) => {
    const outcome = await setPaused(db, COMMAND_LINE, code, isPaused);
    if (!outcome.ok) throw new OpsError(NONE);
    const done = isPaused ? `paused ${code}` : `resumed ${code}`;
    const nothing = isPaused ? `${code} was paused already` : `${code} was not paused`;
    return { text: outcome.isChanged ? done : nothing, data: { code, isChanged: outcome.isChanged } };
  });
}

function inOneLine(row: PromoCodeRow): string {
  const used = row.maxUses === null ? `${row.usedCount}` : `${row.usedCount} of ${row.maxUses}`;
  const state = stateOfPromoCode(row, new Date());
  return `${row.code}  ${state}  ${row.tier ?? "chosen"}, ${describeDuration(row)}  redeemed ${used}`;
}

function inFull(row: PromoCodeRow): OpsAnswer {
  const state = stateOfPromoCode(row, new Date());
  const lines = [
    inOneLine(row),
    `starts ${row.startsAt?.toISOString() ?? "at once"}, ends ${row.expiresAt?.toISOString() ?? "never"}`,
    ...(row.confirmedOnly ? ["for confirmed email addresses only"] : []),
    ...(row.oncePerMailbox ? ["once per mailbox"] : []),
    ...(row.batchId ? [`of batch ${row.batchId}`] : []),
    ...(row.note ? [row.note] : []),
  ];
  return { text: lines.join("\n"), data: { ...row, state } };
}

/** At most 10,000 codes, so they are put together before they are printed. */
async function exportBatch(db: Database, publicOrigin: string, id: string): Promise<OpsAnswer> {
  const batch = await readPromoBatch(db, id);
  if (!batch) throw new OpsError("there is no such batch");
  if (!batch.finishedAt)
    throw new OpsError(
      `its codes are still being made: ${batch.made} of ${batch.size}. Try again in a moment`,
    );
  const { columns, read, readQuery } = codeList(publicOrigin);
  const rows = [];
  let after: string | null = "";
  while (after !== null) {
    const query = readQuery(new URLSearchParams({ batch: id, after }));
    const page: ListPage<ListedCode> = await read(db, query, CSV_CHUNK);
    rows.push(...page.rows);
    after = page.next;
  }
  await noteDownload({ db, actor: COMMAND_LINE }, "batch", {
    filters: { batch: id },
    rows: rows.length,
    ended: "whole",
  });
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, value]) => value(row)))];
  return {
    text: CSV_START + lines.map(csvLine).join("").trimEnd(),
    data: rows.map((row) => Object.fromEntries(columns.map(([name, value]) => [name, value(row)]))),
  };
}
