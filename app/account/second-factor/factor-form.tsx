import passkeyScript from "virtual:passkey-script";
import type { factorForm } from "../../auth/second-factor/factor-form.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import type { useRouteForm } from "../../ui/route-form.ts";
import { SentForm } from "../../ui/sent-form.tsx";

/** What somebody has to show, as far as the page that asks knows. */
export interface Ways {
  hasApp: boolean;
  hasPasskeys: boolean;
}

/** Asks for a second factor: a code to type, which works without scripts, and a passkey where there is one. */
export function FactorForm(props: {
  route: ReturnType<typeof useRouteForm<typeof factorForm>>;
  ways: Ways;
  purpose: "sign_in" | "confirm";
  label: string;
}) {
  const { ways, purpose, label } = props;
  const { fields, formProps } = props.route;
  return (
    <>
      {ways.hasPasskeys && <PasskeyButton purpose={purpose} isQuiet={ways.hasApp} />}
      <SentForm {...formProps} failure="Failed to sign in" className="grid gap-5 w-full max-w-[27rem]">
        <Field
          field={fields.otp}
          label={ways.hasApp ? "Code" : "Recovery code"}
          hint={
            ways.hasApp
              ? "The six digits your authenticator app shows, or a recovery code."
              : "No passkey at hand? Enter one of your recovery codes."
          }
          input={{
            autoComplete: "one-time-code",
            autoCapitalize: "none",
            spellCheck: false,
            autoFocus: ways.hasApp,
          }}
        />
        <SubmitButton isQuiet={!ways.hasApp} pendingLabel="Checking…">
          {label}
        </SubmitButton>
      </SentForm>
    </>
  );
}

/** Sends what a passkey says to the page's own action. Only a script can ask for it (`script/passkeys.ts`). */
function PasskeyButton({ purpose, isQuiet }: { purpose: "sign_in" | "confirm"; isQuiet: boolean }) {
  return (
    <>
      <noscript>
        <p>Your passkey needs JavaScript in this browser.</p>
      </noscript>
      <SentForm
        data-passkey={purpose}
        data-passkey-script={passkeyScript}
        hidden
        className="grid gap-3 justify-items-start"
      >
        <input type="hidden" name="passkey" />
        <button type="submit" className="button" data-quiet={isQuiet || undefined}>
          Use a passkey
        </button>
      </SentForm>
    </>
  );
}
