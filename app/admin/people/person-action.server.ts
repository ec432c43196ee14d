import { data } from "react-router";
import { z } from "zod";
import { removeSecondFactor } from "../../auth/second-factor/change-factors.server.ts";
import { isOnAdminList } from "../../auth/session.server.ts";
import { resendLink, signOutEverywhere } from "../../auth/support-actions.server.ts";
import { findUser } from "../../auth/users.server.ts";
import { resendNotice } from "../../billing/notices/resend-receipt.server.ts";
import { refundByOperator } from "../../billing/plan/refund-by-operator.server.ts";
import { syncPerson } from "../../billing/sync/sync-person.server.ts";
import type { App } from "../../http/context.server.ts";
import type { Failure } from "../../http/errors.ts";
import { operatorReason, revokeGrant } from "../../promo/given-access.server.ts";
import type { Operator } from "../operator.server.ts";
import type { FlashName } from "./flashes.ts";

const stripeId = z.string().regex(/^\w{1,255}$/);

const pressed = z.discriminatedUnion("do", [
  z.object({ do: z.literal("sync"), customer: stripeId.optional() }),
  z.object({ do: z.literal("confirmation") }),
  z.object({ do: z.literal("new_password") }),
  z.object({ do: z.literal("receipt"), invoice: stripeId }),
  z.object({ do: z.literal("refund_mail"), invoice: stripeId }),
  z.object({ do: z.literal("sign_out") }),
  z.object({ do: z.literal("remove_factor"), reason: operatorReason }),
  z.object({ do: z.literal("refund"), total: z.coerce.number().int(), reason: operatorReason }),
  z.object({ do: z.literal("revoke"), grant: z.string().max(64), reason: operatorReason }),
]);

/** Actions for which the operator must repeat the second factor. */
export const ASKS_AGAIN: ReadonlySet<string> = new Set(["refund", "remove_factor", "revoke"]);

/** An operator alone could otherwise take over another's account. */
const OPERATORS_FACTOR =
  "This is an operator’s account. Their two-step login is turned off at the server: npm run ops -- person remove-second-factor.";

/** It would end this session and lock its operator out. */
const OWN_ACCOUNT = "This is your own account. You do that on your account page.";

/** @returns a flash, or why it was not done. @throws the 400 page for an unknown form, the 404 page without the account */
export async function handlePersonAction(
  app: App,
  operator: Operator,
  userId: string,
  form: FormData,
): Promise<FlashName | Pick<Failure, "status" | "message" | "headers">> {
  const sent = pressed.safeParse(Object.fromEntries(form));
  if (!sent.success) {
    const reason = sent.error.issues.find(({ path }) => path[0] === "reason");
    if (reason) return { status: 400, message: `Nothing was changed. ${reason.message}.` };
    throw data(null, { status: 400 });
  }
  const outcome = await perform(app, operator, userId, sent.data);
  if (typeof outcome === "object" && sent.data.do === "refund") return outcome;
  if (typeof outcome === "object") return { ...outcome, message: `Nothing was sent. ${outcome.message}.` };
  if (outcome === "no_account") throw data(null, { status: 404 });
  if (outcome === "operators_factor") return { status: 409, message: OPERATORS_FACTOR };
  if (outcome === "own_account") return { status: 409, message: OWN_ACCOUNT };
  return outcome;
}

async function perform(
  app: App,
  operator: Operator,
  userId: string,
  wanted: z.output<typeof pressed>,
): Promise<FlashName | "no_account" | "own_account" | "operators_factor" | Failure> {
  switch (wanted.do) {
    case "sync":
      return syncPerson(app, operator, userId, wanted.customer);
    case "confirmation":
    case "new_password":
      return resendLink(app, operator, userId, wanted.do);
    case "receipt":
      return resendNotice(
        app,
        operator,
        userId,
        ({ kind, subject }) => kind === "receipt" && subject === wanted.invoice,
      );
    case "refund_mail": {
      const sent = await resendNotice(app, operator, userId, (mail) => mail.invoiceId === wanted.invoice);
      return sent === "no_receipt" ? "no_refund" : sent;
    }
    case "sign_out":
      if (userId === operator.id) return "own_account";
      return (await signOutEverywhere(app.db, operator, userId)) > 0 ? "signed_out" : "not_signed_in";
    case "remove_factor": {
      if (userId === operator.id) return "own_account";
      const person = await findUser(app.db, userId);
      if (person && isOnAdminList(app, person)) return "operators_factor";
      const { site } = app.config;
      const removal = await removeSecondFactor(app.db, site, operator, { userId, reason: wanted.reason });
      return ({ removed: "factor_removed", none: "no_factor", gone: "no_account" } as const)[removal];
    }
    case "refund": {
      const person = await findUser(app.db, userId);
      return person ? refundByOperator(app, operator, person, wanted) : "no_account";
    }
    case "revoke":
      return revokeGrant(app.db, operator, userId, wanted.grant, wanted.reason);
  }
}
