import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { type SubmitEvent, useRef, useState } from "react";
import { ACCOUNT_HEADER } from "../../ui/account-mark.ts";
import { useFrame } from "../../ui/frame.ts";
import { COULD_NOT_REACH } from "../../ui/what-failed.ts";

const NOT_DONE = "Your browser didn’t use a passkey. Try again, or use a code.";
const NOT_MADE = "Your browser didn’t create a passkey. Try again, or set up an authenticator app.";

type Purpose = "sign_in" | "confirm" | "add";

/** The hidden input, the handler that asks the browser first, and the problem to show. */
export function usePasskey(purpose: Purpose) {
  const { accountMark } = useFrame();
  const field = useRef<HTMLInputElement>(null);
  const isAsking = useRef(false);
  const [problem, setProblem] = useState<string | null>(null);

  function onSubmit(event: SubmitEvent<HTMLFormElement>) {
    const input = field.current;
    if (input?.value !== "") return;
    event.preventDefault();
    if (!isAsking.current) void ask(event.currentTarget, input);
  }

  async function ask(form: HTMLFormElement, input: HTMLInputElement) {
    isAsking.current = true;
    setProblem(null);
    const answer = await askPasskey(purpose, accountMark);
    isAsking.current = false;
    if ("problem" in answer) return setProblem(answer.problem);
    input.value = answer.passkey;
    form.requestSubmit();
    input.value = "";
  }

  return { field, onSubmit, problem };
}

/** Call while a press is handled. @returns the value of the field `passkey`, or why there is none */
async function askPasskey(
  purpose: Purpose,
  accountMark: string | undefined,
): Promise<{ passkey: string } | { problem: string }> {
  const fetched = await fetchOptions(purpose, accountMark);
  if ("problem" in fetched) return fetched;
  const optionsJSON = fetched.options;
  const start = purpose === "add" ? startRegistration : startAuthentication;
  try {
    return { passkey: JSON.stringify(await start({ optionsJSON })) };
  } catch {
    return { problem: purpose === "add" ? NOT_MADE : NOT_DONE };
  }
}

async function fetchOptions(
  purpose: Purpose,
  accountMark: string | undefined,
  // biome-ignore lint/suspicious/noExplicitAny: the library's two kinds of options, which our own server has just made
): Promise<{ options: any } | { problem: string }> {
  try {
    const answer = await fetch("/auth/passkey-options", {
      method: "POST",
      headers: accountMark ? { [ACCOUNT_HEADER]: accountMark } : {},
      body: new URLSearchParams({ for: purpose }),
    });
    const body = await answer.json();
    return answer.ok ? body : { problem: body.error?.message ?? NOT_DONE };
  } catch {
    return { problem: COULD_NOT_REACH };
  }
}
