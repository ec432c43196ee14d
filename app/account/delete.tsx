import { data, redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { AccountPage } from "../auth/account-page.tsx";
import { hasSessionCookie, setToken } from "../auth/cookies.server.ts";
import { readSession, requireFreshSession } from "../auth/session.server.ts";
import { readPlanInForce } from "../billing/plan/plan-overview.server.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { foldAddress } from "../ui/email-address.ts";
import { sendPress } from "../ui/send-form.ts";
import type { Route } from "./+types/delete.ts";
import { type Deletion, deleteAccount } from "./delete-account.server.ts";
import { DeleteForm } from "./delete-form.tsx";
import { ACCOUNT_LIMITS } from "./limits.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

const deleteForm = z.object({
  email: z.string().max(1000).transform(foldAddress),
  /** The subscription the page said will end. */
  subscription: z.string().max(255),
});

const FAILURES: Record<Exclude<Deletion, "deleted"> | "not_confirmed", { message: string; status: number }> =
  {
    not_confirmed: {
      message: "Nothing was deleted. Type your email address to confirm.",
      status: 400,
    },
    paid_meanwhile: {
      message:
        "Nothing was deleted, because a payment from you just came in. Read below what happens to it, then decide again.",
      status: 409,
    },
    payments_away: {
      message: "Nothing was deleted, because we couldn’t reach our payment provider. Try again in a moment.",
      status: 503,
    },
    busy: {
      message: "Nothing was deleted, because the account is in use somewhere else right now. Try again.",
      status: 409,
    },
  };

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  const { db } = fromContext(args.context).app;
  const plan = await readPlanInForce(db, user.id);
  return { email: user.email, subscription: plan?.subscriptionId ?? "", planName: plan?.name ?? null };
}

export async function action(args: Route.ActionArgs) {
  const { app, state } = fromContext(args.context);
  // Most likely the form was sent twice.
  if (hasSessionCookie(app.config, args.request) && !(await readSession(args)))
    return redirect("/account/deleted?unsure=1", 303);
  const { user } = await requireFreshSession(args);
  const sent = deleteForm.safeParse(Object.fromEntries(await readForm(args.request)));
  const typed = sent.data?.email.toLowerCase();
  if (!sent.success || typed !== user.email)
    return notDeleted("not_confirmed", typed ? "That’s not your email address" : "Enter your email address");
  const subscription = sent.data.subscription || null;
  const outcome = await withLimit(app, ACCOUNT_LIMITS.deletionByUser, user.id, () =>
    deleteAccount(app, user.id, subscription),
  );
  if (typeof outcome !== "string") {
    const { message, status, headers } = outcome;
    return data({ message: `Nothing was deleted. ${message}.`, fieldError: null }, { status, headers });
  }
  if (outcome !== "deleted") return notDeleted(outcome);
  await setToken(app.config, state, "session", null);
  return redirectDocument("/account/deleted", 303);
}

function notDeleted(why: keyof typeof FAILURES, fieldError: string | null = null) {
  const { message, status } = FAILURES[why];
  return data({ message, fieldError }, { status });
}

export const clientAction = sendPress;

export default function Delete({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <AccountPage title="Delete your account">
      <DeleteForm {...loaderData} answer={actionData} />
    </AccountPage>
  );
}
