import { SubmitButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { useRouteForm } from "../../ui/route-form.ts";
import { useHydrated } from "../../ui/use-hydrated.ts";
import type { AvailableFactors } from "./read-factors.server.ts";
import type { factorForm } from "./show-factor.server.ts";
import { usePasskey } from "./use-passkey.ts";

/** The code works without scripts. */
export function FactorForm(props: {
  route: ReturnType<typeof useRouteForm<typeof factorForm>>;
  factors: AvailableFactors;
  purpose: "sign_in" | "confirm";
  label: string;
}) {
  const { factors, purpose, label } = props;
  const { fields, formProps } = props.route;
  return (
    <>
      {factors.hasPasskeys && <PasskeyButton purpose={purpose} isQuiet={factors.hasApp} />}
      <PostForm {...formProps} className="grid gap-5 w-full max-w-[27rem]">
        <Field
          field={fields.otp}
          label={factors.hasApp ? "Code" : "Recovery code"}
          hint={
            factors.hasApp
              ? "The six digits your authenticator app shows, or a recovery code."
              : "No passkey at hand? Enter one of your recovery codes."
          }
          input={{
            autoComplete: "one-time-code",
            autoCapitalize: "none",
            spellCheck: false,
            autoFocus: factors.hasApp,
          }}
        />
        <SubmitButton isQuiet={!factors.hasApp} pendingLabel="Checking…">
          {label}
        </SubmitButton>
      </PostForm>
      <p className="text-quiet">
        Lost your device and your recovery codes? <PageLink href="/contact">Contact us</PageLink>. We’ll check
        that it’s you before we let anyone in.
      </p>
    </>
  );
}

function PasskeyButton({ purpose, isQuiet }: { purpose: "sign_in" | "confirm"; isQuiet: boolean }) {
  const { field, onSubmit, problem } = usePasskey(purpose);
  const isHydrated = useHydrated();
  return (
    <>
      <noscript>
        <p>Your passkey needs JavaScript in this browser.</p>
      </noscript>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <PostForm onSubmit={onSubmit} hidden={!isHydrated} className="grid gap-3 justify-items-start">
        <input type="hidden" name="passkey" ref={field} />
        <button type="submit" className="button" data-quiet={isQuiet || undefined}>
          Use a passkey
        </button>
        <p className="text-quiet">or</p>
      </PostForm>
    </>
  );
}
