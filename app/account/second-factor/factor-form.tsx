import { useState } from "react";
import { Form, useSubmit } from "react-router";
import { askPasskey } from "../../auth/second-factor/ask-passkey.ts";
import type { factorForm } from "../../auth/second-factor/factor-form.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { useIsHydrated } from "../../ui/is-hydrated.ts";
import { Notice } from "../../ui/notice.tsx";
import type { useRouteForm } from "../../ui/route-form.ts";

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
  const { fields, formProps, isPending } = props.route;
  return (
    <>
      {ways.hasPasskeys && <PasskeyButton purpose={purpose} isQuiet={ways.hasApp} />}
      <Form {...formProps} className="grid gap-5 w-full max-w-[27rem]">
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
        <SubmitButton isPending={isPending} isQuiet={!ways.hasApp} pendingLabel="Checking…">
          {label}
        </SubmitButton>
      </Form>
    </>
  );
}

/** Sends what a passkey says to the page's own action. Only scripts can ask for it. */
function PasskeyButton({ purpose, isQuiet }: { purpose: "sign_in" | "confirm"; isQuiet: boolean }) {
  const [problem, setProblem] = useState<string | null>(null);
  const submit = useSubmit();
  const isHydrated = useIsHydrated();
  if (!isHydrated) return <p>Your passkey needs JavaScript in this browser.</p>;
  async function press(): Promise<void> {
    setProblem(null);
    const asked = await askPasskey(purpose);
    if ("problem" in asked) return setProblem(asked.problem);
    await submit({ passkey: asked.passkey }, { method: "post" });
  }
  return (
    <div className="grid gap-3 justify-items-start">
      {problem && <Notice tone="bad">{problem}</Notice>}
      <button type="button" className="button" data-quiet={isQuiet || undefined} onClick={press}>
        Use a passkey
      </button>
    </div>
  );
}
