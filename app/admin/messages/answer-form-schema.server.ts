import { z } from "zod";

/** In UTF-16 code units. */
const ANSWER_MAX_LENGTH = 10_000;

export const answerForm = z.object({
  answer: z
    .string({ error: "Write your answer" })
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(
      z
        .string()
        .min(1, "Write your answer")
        .max(ANSWER_MAX_LENGTH, "Shorten your answer to 10,000 characters")
        .regex(/^[\t\n\P{Cc}]*$/u, "Some characters here can’t be sent. Please retype it."),
    ),
});
