import { redirect } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import { loginPath } from "../../http/safe-path.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { AccountPage } from "../account-page.tsx";
import { returnToOf } from "../person-fields.server.ts";
import { readFreshness, requireSession } from "../session.server.ts";
import type { Route } from "./+types/confirm.ts";
import { FactorForm } from "./factor-form.tsx";
import { readAvailableFactors } from "./read-factors.server.ts";
import { confirmFactor, factorForm } from "./show-factor.server.ts";

const FAILURE = "We couldn’t confirm it’s you";

export { sendForm as clientAction } from "../../ui/send-form.ts";

export async function loader(args: Route.LoaderArgs) {
  const { id, user } = await requireSession(args);
  const { app } = fromContext(args.context);
  const { needsSecondFactor } = await readFreshness(app, id);
  if (!needsSecondFactor) throw redirect(returnToOf(args, "/account"), 303);
  return { factors: await readAvailableFactors(app, user.id) };
}

export async function action(args: Route.ActionArgs) {
  return submitForm(args, {
    schema: factorForm,
    failure: FAILURE,
    sender: requireSession,
    async work(shown, session) {
      const done = await confirmFactor(args, session, shown);
      if (done.ok) return redirect(returnToOf(args, "/account"), 303);
      return done.status === 401 ? redirect(loginPath(returnToOf(args, "/account")), 303) : done;
    },
  });
}

export default function ConfirmSecondStep({ loaderData, actionData }: Route.ComponentProps) {
  const route = useRouteForm<typeof factorForm>(actionData, { id: "second-factor" });
  return (
    <AccountPage title="Confirm it’s you">
      {!route.form.valid && <ErrorSummary title={FAILURE} form={route.form} />}
      <p>You have two-step login, so we ask for the second step as well.</p>
      <FactorForm route={route} factors={loaderData.factors} purpose="confirm" label="Confirm" />
    </AccountPage>
  );
}
