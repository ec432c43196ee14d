import { useActionData } from "react-router";
import { ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useSite } from "../../ui/site.ts";
import type { EnabledProviders } from "./enabled-providers.server.ts";
import { ProviderMark } from "./provider-mark.tsx";
import { type Intent, PROVIDER_NAMES, type Provider } from "./providers.ts";
import { nextStepOf, reasonOf, SIGN_IN_FAILURES } from "./sign-in-errors.ts";

const LABELS: Record<Intent, (name: string) => string> = {
  sign_in: (name) => `Continue with ${name}`,
  connect: (name) => `Connect ${name}`,
  confirm: (name) => `Confirm with ${name}`,
};

/**
 * A button for each enabled provider, and what the page's address says of the last press. Each is a plain form; where there
 * are scripts, `script/provider-windows.ts` opens a popup instead.
 *
 * @param returnTo where to go on afterwards
 * @param only shows no other providers than these
 */
export function ProviderButtons(props: {
  offer: EnabledProviders;
  intent: Intent;
  returnTo: string | ((provider: Provider) => string);
  only?: Provider[];
}) {
  const { offer, intent, only, returnTo } = props;
  const site = useSite();
  // Once a form of the page has been answered, what the address says is old news.
  const isOldNews = useActionData() !== undefined;
  const failure = isOldNews ? null : offer.failure;
  const shown = offer.providers.filter((provider) => only?.includes(provider) ?? true);
  if (shown.length === 0 && !failure) return null;
  return (
    <div
      className="grid gap-6"
      data-provider-windows={offer.authorizedDomains.join(" ")}
      data-origin={site.origin}
    >
      {failure && <FailureNotice failure={failure} />}
      <div className="providers">
        {shown.map((provider) => (
          <PostForm key={provider} action={`/auth/start/${provider}`} data-provider={provider}>
            <input type="hidden" name="intent" value={intent} />
            <input
              type="hidden"
              name="return_to"
              value={typeof returnTo === "string" ? returnTo : returnTo(provider)}
            />
            <button type="submit" className="button w-full" data-quiet>
              <span className="inline-flex items-center gap-3">
                <ProviderMark provider={provider} />
                {LABELS[intent](PROVIDER_NAMES[provider])}
              </span>
            </button>
          </PostForm>
        ))}
        <p role="status" />
      </div>
    </div>
  );
}

function FailureNotice({
  failure: { provider, error },
}: {
  failure: NonNullable<EnabledProviders["failure"]>;
}) {
  // No failure: the sign-in goes on in this tab.
  const goesOn = error === "popup-blocked";
  const nextStep = nextStepOf(error);
  return (
    // biome-ignore lint/a11y/noAutofocus: after a redirect it is what the page is about
    <div tabIndex={-1} autoFocus data-failure-notice="">
      <Notice tone={goesOn ? "plain" : "bad"} code={error}>
        {!goesOn && <p className="font-semibold">{SIGN_IN_FAILURES[provider]}</p>}
        <p>{reasonOf(provider, error)}</p>
        {nextStep && (
          <p className="pt-3">
            <ButtonLink href={nextStep.href} isQuiet>
              {nextStep.label}
            </ButtonLink>
          </p>
        )}
      </Notice>
    </div>
  );
}
