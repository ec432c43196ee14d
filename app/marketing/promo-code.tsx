import { signUpLink } from "../billing/choice.ts";
import { type CodeAnswer, isKnownInvalid, termsOfCode } from "../promo/promo-answer.ts";
import { PROMO_INPUT_MAX_LENGTH, PROMO_MESSAGES } from "../promo/rules.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useRoot } from "../ui/site.ts";

export function PromoCodeNotice({ code, answer }: { code: string; answer: CodeAnswer }) {
  const { site, hasSession } = useRoot();
  const shown = (
    <strong className="[overflow-wrap:anywhere]">
      <bdi>{code}</bdi>
    </strong>
  );
  if (isKnownInvalid(answer)) {
    return (
      <Notice tone="bad">
        <p className="font-semibold">{PROMO_MESSAGES.invalid}</p>
        <p>
          We can’t take {shown}. Check the spelling, or <a href="#promo">try another code</a>.
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="plain">
      <div className="grid gap-3 justify-items-start">
        {answer.checked ? (
          <p>
            Promo code {shown} is saved. It gives you {termsOfCode(answer.checked)}{" "}
            {hasSession ? "You apply it on your plan page." : "Apply it after signing up."} It isn’t a
            discount on the prices below.
          </p>
        ) : (
          <p>
            Promo code {shown}: {answer.message}
          </p>
        )}
        <ButtonLink href={signUpLink(site.hostedAppUrl, { promo: code })}>
          {hasSession ? "Use the code" : "Sign up and use the code"}
        </ButtonLink>
      </div>
    </Notice>
  );
}

/** Without an account and without using it. */
export function CheckCodeForm({ code, billing }: { code: string | null; billing: string | null }) {
  return (
    <form action="/pricing" className="grid gap-1.5">
      {billing && <input type="hidden" name="billing" value={billing} />}
      <label htmlFor="promo" className="font-semibold">
        Promo code
      </label>
      <div className="flex flex-wrap gap-3">
        <input
          id="promo"
          name="promo"
          className="field-input max-w-[16rem]"
          defaultValue={code ?? ""}
          maxLength={PROMO_INPUT_MAX_LENGTH}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
        />
        <button type="submit" className="button" data-quiet="">
          Check the code
        </button>
      </div>
    </form>
  );
}
