import { PROVIDER_NAMES, PROVIDERS } from "../auth/providers/providers.ts";
import { fromContext } from "../http/context.server.ts";
import { LabelledLine } from "../ui/labelled-line.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/forgot-password-sent.ts";

export function loader({ context }: Route.LoaderArgs) {
  const { providers } = fromContext(context).app;
  return { providerNames: PROVIDERS.filter((id) => providers[id].isOn).map((id) => PROVIDER_NAMES[id]) };
}

export default function ForgotPasswordSent({ loaderData: { providerNames } }: Route.ComponentProps) {
  const { supportEmail } = useSite();
  return (
    <PrivatePage title="Check your email">
      <LabelledLine text="EMAIL FROM US" label="Open me" />
      <h1>Check your email</h1>
      <p>
        If there is an account with the address you entered, a link is on its way to it. Open it and choose a
        new password; it works for an hour.
      </p>
      <h2 className="pt-4">Nothing there?</h2>
      <ul className="list">
        <li>Give it a few minutes, and look in the spam folder.</li>
        <li>
          Is it the address of your account? If not, <a href="/forgot-password">enter another</a>.
        </li>
        {providerNames.length > 0 && (
          <li>
            If you signed up with {providerNames.join(" or ")}, <a href="/login">continue with it</a>.
          </li>
        )}
        <li>
          If it still does not come, write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
        </li>
      </ul>
    </PrivatePage>
  );
}
