import { eq, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Queryable } from "../db/client.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { isVisible } from "../ui/typed-text.ts";
import {
  isBlank,
  KEYWORDS_MAX_LENGTH,
  MAX_CATEGORIES,
  NAME_MAX_LENGTH,
  readCategory,
  SLOTS,
  type Slot,
} from "./category-input.ts";
import { CHANGED_ELSEWHERE, categoryField, keywordsField } from "./fields.ts";
import { savedCategories } from "./schema.ts";

export type SavedCategories = Pick<typeof savedCategories.$inferSelect, "categories" | "revision">;

export async function readCategories(db: Queryable, userId: string): Promise<SavedCategories> {
  const [found] = await db
    .select({ categories: savedCategories.categories, revision: savedCategories.revision })
    .from(savedCategories)
    .where(eq(savedCategories.userId, userId));
  return found ?? { categories: [], revision: 0 };
}

/** Saving the same again succeeds, so a form may be sent twice. @returns a 409 when they were changed since `revision` */
export async function saveCategories(
  db: Queryable,
  userId: string,
  { categories, revision }: SavedCategories,
): Promise<Failure | null> {
  const { categories: saved, revision: current } = savedCategories;
  const { rowCount } = await db
    .insert(savedCategories)
    .values({ userId, categories })
    .onConflictDoUpdate({
      target: savedCategories.userId,
      set: { categories, revision: sql`${current} + 1`, updatedAt: sql`now()` },
      setWhere: or(eq(current, revision), sql`${saved} = excluded.categories`),
    });
  return rowCount ? null : failure(409, CHANGED_ELSEWHERE);
}

/** A stranger may have typed them before the account passed to the owner of its address. */
export async function forgetCategories(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(savedCategories).where(eq(savedCategories.userId, userId));
}

const text = (isFine: (typed: string) => boolean, tooLong: string) =>
  z
    .string()
    .transform((typed) => typed.replaceAll("\r\n", "\n"))
    .refine(isFine, { error: tooLong, abort: true })
    .refine(
      (typed) => !/[^\P{Cc}\n\t]/u.test(typed),
      "Some characters here can’t be saved. Please retype it.",
    )
    .default("");

const name = text(
  (typed) => readCategory({ name: typed, keywords: "" }).kept.name === typed,
  `Enter a name of at most ${NAME_MAX_LENGTH} characters`,
);
const keywords = text(
  (typed) => readCategory({ name: "", keywords: typed }).kept.keywords === typed,
  `Enter keywords of at most ${KEYWORDS_MAX_LENGTH} characters together`,
);

type FieldName = ReturnType<typeof categoryField | typeof keywordsField>;

const fields = Object.fromEntries(
  SLOTS.flatMap((slot: Slot) => [
    [categoryField(slot), name],
    [keywordsField(slot), keywords],
  ]),
) as Record<FieldName, typeof name>;

/** Blank ones are left out, and the one to `remove`; too many are an error, so that none is lost. */
export const categoriesForm = z
  .strictObject(
    {
      revision: z.coerce.number().int().min(0).max(2_147_483_647).catch(0),
      remove: z.string().optional(),
      ...fields,
    },
    {
      error: ({ code }) =>
        code === "unrecognized_keys" ? `Keep at most ${MAX_CATEGORIES} categories` : undefined,
    },
  )
  .transform(({ revision, remove, ...sent }, context): SavedCategories => {
    const typed = SLOTS.filter((slot) => String(slot) !== remove)
      .map((slot) => ({
        slot,
        name: sent[categoryField(slot)].trim(),
        keywords: sent[keywordsField(slot)].trim(),
      }))
      .filter((each) => !isBlank(each));
    for (const { slot, name } of typed)
      if (!isVisible(name))
        context.addIssue({ code: "custom", path: [categoryField(slot)], message: "Enter a name" });
    return { revision, categories: typed.map(({ name, keywords }) => ({ name, keywords })) };
  });
