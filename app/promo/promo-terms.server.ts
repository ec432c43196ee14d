import { z } from "zod";
import { TIERS } from "../entitlements/tiers.ts";
import { withoutDirectionMarks } from "../ui/typed-text.ts";
import { normalizePromoCode, PROMO_CODE_MAX_LENGTH, type PromoTerms } from "./rules.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const WHEN = "Give a day like 2027-01-31, or a time like 2027-01-31T09:00, in UTC";

/** In UTC. @param dayOffset what a day without a time stands for: 0 its beginning, 1 its end */
const moment = (dayOffset: 0 | 1) =>
  z.union([z.iso.date(), z.iso.datetime({ local: true })], { error: WHEN }).transform((text) => {
    if (!text.includes("T")) return new Date(Date.parse(text) + dayOffset * DAY_MILLISECONDS);
    return new Date(text.endsWith("Z") ? text : `${text}Z`);
  });

const wholeNumber = (max: number, missing = "Give a number") =>
  z
    .string({ error: missing })
    .trim()
    .regex(/^\d{1,10}$/, "Give a whole number from 1")
    .transform(Number)
    .pipe(
      z
        .number()
        .min(1, "Give a whole number from 1")
        .max(max, { error: `Give a number up to ${max.toLocaleString("en-US")}` }),
    );

const MAX_BATCH_SIZE = 10_000;

/** Spec §3. Numbers and times are text, from a command line or a form. */
export const termsInput = {
  tier: z.enum(TIERS, { error: `Choose ${TIERS.join(" or ")}` }).optional(),
  months: wholeNumber(1200).optional(),
  forever: z.boolean().optional(),
  maxUses: wholeNumber(2_147_483_647).optional(),
  startsAt: moment(0).optional(),
  expiresAt: moment(1).optional(),
  confirmedOnly: z.boolean().optional(),
  oncePerMailbox: z.boolean().optional(),
};

type TermsInput = z.output<z.ZodObject<typeof termsInput>>;

export const noteInput = z
  .string()
  .max(1000, { error: "Use at most 200 characters", abort: true })
  .transform(withoutDirectionMarks)
  .pipe(z.string().max(200, "Use at most 200 characters"))
  .optional();

export const codeInput = z
  .string({ error: "Name the code" })
  .transform(normalizePromoCode)
  .pipe(
    z
      .string()
      .max(PROMO_CODE_MAX_LENGTH, `Use at most ${PROMO_CODE_MAX_LENGTH} characters`)
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u, "Use letters, digits, - and _"),
  );

export function withTermRules<Schema extends z.ZodType<TermsInput>>(schema: Schema) {
  return schema
    .refine(({ forever, months }) => !(forever && months), {
      error: "Choose either a number of months or forever",
      path: ["forever"],
    })
    .refine(({ startsAt, expiresAt }) => !(startsAt && expiresAt) || startsAt < expiresAt, {
      error: "Give an end after the start",
      path: ["expiresAt"],
    });
}

export const newPromoCode = withTermRules(z.object({ code: codeInput, note: noteInput, ...termsInput }));

export const newPromoBatch = withTermRules(
  z.object({
    name: z
      .string({ error: "Name the batch" })
      .trim()
      .min(1, "Name the batch")
      .max(100, "Use at most 100 characters"),
    size: wholeNumber(MAX_BATCH_SIZE, "Say how many codes"),
    ...termsInput,
  }),
);

/** Replaces all terms: those that are absent are removed. */
export const promoChange = withTermRules(z.object({ note: noteInput, ...termsInput }));

/** By default for a month. */
export function termsOf(input: TermsInput): PromoTerms {
  const { tier, months, forever, maxUses, startsAt, expiresAt, confirmedOnly, oncePerMailbox } = input;
  return {
    tier: tier ?? null,
    durationType: forever ? "forever" : "months",
    durationMonths: forever ? null : (months ?? 1),
    startsAt: startsAt ?? null,
    expiresAt: expiresAt ?? null,
    maxUses: maxUses ?? null,
    confirmedOnly: confirmedOnly ?? false,
    oncePerMailbox: oncePerMailbox ?? false,
  };
}
