import { redirect, redirectDocument } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import { loginPath } from "../../http/safe-path.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { privateFormHeaders } from "../../ui/private-page.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { CredentialsPage } from "../credentials-page.tsx";
import { returnToOf } from "../person-fields.server.ts";
import { hasLostCookie, type RouteArgs, readUser } from "../session.server.ts";
import type { Route } from "./+types/sign-in.ts";
import { FactorForm } from "./factor-form.tsx";
import { readAvailableFactors } from "./read-factors.server.ts";
import { factorForm, finishSignIn, readPending } from "./show-factor.server.ts";

/** Spec §8. */
const FAILURE = "Failed to sign in";

export const handle: RouteHandle = { hydrate: true };

export { sendForm as clientAction } from "../../ui/send-form.ts";

export const headers = privateFormHeaders;

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requirePending(args);
  const { app } = fromContext(args.context);
  return {
    email: user.email,
    factors: await readAvailableFactors(app, user.id),
    returnTo: returnToOf(args, "/dashboard"),
  };
}

export async function action(args: Route.ActionArgs) {
  return submitForm(args, {
    schema: factorForm,
    failure: FAILURE,
    sender: requirePending,
    async work(shown, pending) {
      const done = await finishSignIn(args, pending, shown);
      if (done.ok) return redirectDocument(returnToOf(args, "/dashboard"), 303);
      return done.status === 401 ? redirectDocument(loginPath(returnToOf(args, "/dashboard")), 303) : done;
    },
  });
}

/** @throws a redirect: on from here when signed in by now, otherwise to the first step */
async function requirePending(args: RouteArgs) {
  const pending = await readPending(args);
  if (pending) return pending;
  const returnTo = returnToOf(args, "/dashboard");
  if (await readUser(args)) throw redirectDocument(returnTo, 303);
  throw redirect(loginPath(returnTo, hasLostCookie(args.request) ? "cookies" : undefined), 303);
}

export default function SecondStep({ loaderData, actionData }: Route.ComponentProps) {
  const { email, factors, returnTo } = loaderData;
  const route = useRouteForm<typeof factorForm>(actionData, { id: "second-factor" });
  return (
    <CredentialsPage title="One more step" failure={FAILURE} form={route.form}>
      <p>
        Finish logging in as <strong className="[overflow-wrap:anywhere]">{email}</strong>.
      </p>
      <FactorForm route={route} factors={factors} purpose="sign_in" label="Log in" />
      <p>
        Not you? <PageLink href={loginPath(returnTo)}>Log in to another account</PageLink>
      </p>
    </CredentialsPage>
  );
}
