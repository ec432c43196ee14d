import { redirect, redirectDocument } from "react-router";
import { AccountPage } from "../auth/account-page.tsx";
import { hasSessionCookie, setToken } from "../auth/cookies.server.ts";
import { type RouteArgs, readSession, requireFreshSession } from "../auth/session.server.ts";
import { readPlanInForce } from "../billing/plan/plan-overview.server.ts";
import { readCategories } from "../categories/categories.server.ts";
import { fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import type { Route } from "./+types/delete.ts";
import { type Deletion, deleteAccount, deleteForm } from "./delete-account.server.ts";
import { DeleteForm } from "./delete-form.tsx";
import { ACCOUNT_LIMITS } from "./limits.ts";

export { sendForm as clientAction } from "../ui/send-form.ts";

const REFUSALS: Record<Exclude<Deletion, "deleted">, Failure> = {
  paid_meanwhile: failure(
    409,
    "A payment from you just came in. Read below what happens to it, then decide again.",
  ),
  payments_away: failure(503, "We couldn’t reach our payment provider. Try again in a moment."),
  busy: failure(409, "The account is in use somewhere else right now. Try again."),
};

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  const { db } = fromContext(args.context).app;
  const [plan, { categories }] = await Promise.all([
    readPlanInForce(db, user.id),
    readCategories(db, user.id),
  ]);
  return {
    email: user.email,
    subscription: plan?.subscriptionId ?? "",
    planName: plan?.name ?? null,
    hasCategories: categories.length > 0,
  };
}

export async function action(args: Route.ActionArgs) {
  const { app, state } = fromContext(args.context);
  return submitForm(args, {
    schema: deleteForm,
    failure: "an account was not deleted",
    sender: requireOwner,
    async work({ email, subscription = null }, { user }) {
      if (email.toLowerCase() !== user.email)
        return { ...failure(400, "That’s not your email address"), field: "email" };
      const outcome = await withLimit(app, ACCOUNT_LIMITS.deletionByUser, user.id, () =>
        deleteAccount(app, user.id, subscription),
      );
      if (typeof outcome !== "string") return outcome;
      if (outcome !== "deleted") return REFUSALS[outcome];
      await setToken(app.config, state, "session", null);
      return redirectDocument("/account/deleted", 303);
    },
  });
}

async function requireOwner(args: RouteArgs) {
  const { app } = fromContext(args.context);
  // A cookie without its session: most likely the form was sent twice.
  if (hasSessionCookie(app.config, args.request) && !(await readSession(args)))
    throw redirect("/account/deleted?unsure=1", 303);
  return requireFreshSession(args);
}

export default function Delete({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <AccountPage title="Delete your account">
      <DeleteForm {...loaderData} answer={actionData} />
    </AccountPage>
  );
}
