import { Fragment } from "react";
import { useActionData } from "react-router";
import { ButtonLink } from "../../ui/button.tsx";
import { Focused } from "../../ui/focused.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useSite } from "../../ui/site.ts";
import type { EnabledProviders } from "./connect.server.ts";
import { type Intent, PROVIDER_NAMES, type Provider } from "./providers.ts";
import { NEXT_STEPS, reasonOf, SIGN_IN_FAILURES } from "./sign-in-errors.ts";
import { type SignInFailure, useProviderPopup } from "./use-provider-popup.ts";

const LABELS: Record<Intent, (name: string) => string> = {
  sign_in: (name) => `Continue with ${name}`,
  connect: (name) => `Connect ${name}`,
  confirm: (name) => `Confirm with ${name}`,
};

/** Plain forms; where React runs, they open popups. @param only shows no other providers than these */
export function ProviderButtons(props: {
  offer: EnabledProviders;
  intent: Intent;
  returnTo: string | ((provider: Provider) => string);
  only?: Provider[];
  onPress?: () => void;
}) {
  const { offer, intent, only, returnTo, onPress } = props;
  const site = useSite();
  // Once a form of the page has been answered, the failure in the URL is outdated.
  const isOldNews = useActionData() !== undefined;
  const { progress, onSubmit } = useProviderPopup(offer.authorizedDomains, site.origin);
  const failure = progress ? progress.failure : isOldNews ? null : offer.failure;
  const pressed = progress?.waitsFor ?? progress?.failure?.provider;
  const shown = offer.providers.filter((provider) => only?.includes(provider) ?? true);
  if (shown.length === 0 && !failure) return null;
  return (
    <div className="grid gap-6">
      {failure && <FailureNotice key={failure.error} failure={failure} />}
      <div className="providers">
        {shown.map((provider) => {
          const request = {
            provider,
            intent,
            returnTo: typeof returnTo === "string" ? returnTo : returnTo(provider),
          };
          return (
            <Fragment key={provider}>
              <PostForm
                action={`/auth/start/${provider}`}
                reloadDocument
                onSubmit={(event) => {
                  onPress?.();
                  onSubmit(event, request);
                }}
              >
                <input type="hidden" name="intent" value={intent} />
                <input type="hidden" name="return_to" value={request.returnTo} />
                <button type="submit" className="button w-full" data-quiet>
                  <span className="inline-flex items-center gap-3">
                    <ProviderMark provider={provider} />
                    {LABELS[intent](PROVIDER_NAMES[provider])}
                  </span>
                </button>
              </PostForm>
              <p role="status" className="flex flex-wrap items-center gap-x-3 -mt-2">
                {progress?.waitsFor === provider && `Continue in the ${PROVIDER_NAMES[provider]} window.`}
                {progress?.useThisTab && pressed === provider && (
                  <button type="button" className="min-h-11 underline" onClick={progress.useThisTab}>
                    Use this tab instead
                  </button>
                )}
              </p>
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}

function FailureNotice({ failure: { provider, error } }: { failure: SignInFailure }) {
  // The sign-in continues in this tab.
  const goesOn = error === "popup-blocked";
  const nextStep = NEXT_STEPS[error];
  return (
    <Focused>
      <Notice tone={goesOn || error === "access-denied" ? "plain" : "bad"} code={error}>
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
    </Focused>
  );
}

const STROKES: Record<Provider, string> = {
  google: "M18.5 7.5A8 8 0 1 0 20 12h-7",
  facebook: "M15.5 4H14a3.5 3.5 0 0 0-3.5 3.5V20M7 11.5h7.5",
};

function ProviderMark({ provider }: { provider: Provider }) {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={STROKES[provider]}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
