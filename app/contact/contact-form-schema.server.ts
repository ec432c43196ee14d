import { z } from "zod";
import { emailAddress, personName } from "../auth/person-fields.server.ts";
import { isVisible } from "../ui/typed-text.ts";
import { findTopic, type Topic } from "./topics.ts";

/** In UTF-16 code units; a line break counts as one, although browsers send two. */
const MESSAGE_MAX_LENGTH = 4000;

/** For example "4,000". */
function formatCount(count: number): string {
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
        // Conform treats a blank value as not submitted.
        .string({ error: "Write your message" })
        .max(MESSAGE_MAX_LENGTH, {
          error: ({ input }) =>
            `Shorten your message to ${formatCount(MESSAGE_MAX_LENGTH)} characters (it has ${formatCount(String(input).length)})`,
        })
        .regex(/^[\t\n\P{Cc}]*$/u, "Some characters here can’t be saved. Please retype it.")
        .refine(isVisible, "Write your message"),
    ),
});
