import { z } from "zod";
import { reviewPlanChange } from "../../billing/plan/change-by-operator.server.ts";
import { reviewCredit } from "../../billing/plan/credit-by-operator.server.ts";
import { endTerms, reviewEnd } from "../../billing/plan/end-by-operator.server.ts";
import type { AccountHolder } from "../../billing/plan/operator-decision.server.ts";
import { againTerms, reviewRefundAgain } from "../../billing/plan/refund-again.server.ts";
import type { App } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";

export const moneyAction = z.enum(["end", "change", "credit", "again"]).catch("end");

export type Sent = Record<string, string | null>;

/** `null` before there is anything to preview. */
export async function reviewOf(app: App, owner: AccountHolder, sent: Sent) {
  switch (moneyAction.parse(sent.do)) {
    case "end": {
      if (!sent.preview) return null;
      const terms = endTerms.safeParse(sent);
      return terms.success
        ? withKind("end", await reviewEnd(app, owner, terms.data))
        : failure(400, "Choose when it ends and what is refunded.");
    }
    case "change":
      return withKind("change", await reviewPlanChange(app, owner, sent.price ?? null));
    case "again": {
      const terms = againTerms.safeParse({ how: sent.how ?? undefined });
      return terms.success
        ? withKind("again", await reviewRefundAgain(app, owner, terms.data))
        : failure(400, "Choose how the refund is paid.");
    }
    case "credit":
      return sent.amount ? withKind("credit", await reviewCredit(app, owner, sent.amount)) : null;
  }
}

function withKind<Kind extends string, Review extends { ok: true }>(of: Kind, review: Review | Failure) {
  return review.ok ? { ...review, of } : review;
}

export type Review = Extract<NonNullable<Awaited<ReturnType<typeof reviewOf>>>, { ok: true }>;
