import { z } from "zod";
import { emailAddress, personName } from "../auth/person-fields.ts";
import { findTopic, type Topic } from "./topics.ts";

/** In characters; a line break is one, though browsers send two. */
const MESSAGE_LENGTH = 4000;

/** As people write them in English: "4,000". */
function inFigures(count: number): string {
  return count.toLocaleString("en-US");
}

export const contactForm = z.object({
  name: personName,
  email: emailAddress,
  topic: z
    .string({ error: "Choose what it is about" })
    .refine((topic): topic is Topic => findTopic(topic) !== undefined, "Choose what it is about"),
  message: z
    .string({ error: "Write your message" })
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(
      z
        // Conform takes what is blank by now for something that was not sent.
        .string({ error: "Write your message" })
        .max(MESSAGE_LENGTH, {
          error: ({ input }) =>
            `Shorten your message to ${inFigures(MESSAGE_LENGTH)} characters; it has ${inFigures(String(input).length)}`,
        })
        .regex(/^[\t\n\P{Cc}]*$/u, "Take the control characters out of your message"),
    ),
});
