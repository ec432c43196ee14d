import { prepareForUser } from "../auth/find-session.server.ts";
import { secondFactorOf } from "../auth/second-factor/has-second-factor.server.ts";
import { countSessionsPart } from "../auth/sessions.server.ts";
import { signInMethodsPart } from "../auth/sign-in-methods.server.ts";
import { expression, together } from "../db/parts.server.ts";

/** All that the page of the account shows, in one statement. */
export const PROFILE_QUESTION = prepareForUser("profile", (userId) =>
  together({
    methods: signInMethodsPart(userId),
    sessionCount: countSessionsPart(userId),
    hasSecondFactor: expression(secondFactorOf(userId)),
  }),
);
