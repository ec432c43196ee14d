import { type SubmitEvent, useRef, useState } from "react";
import { useFrame } from "../../ui/frame.ts";
import { askPasskey } from "./ask-passkey.ts";

/**
 * A form that is sent with what a passkey says: `field` is the hidden input for that, `onSubmit` has the browser ask first.
 *
 * @returns also the problem to show, if the last time there was nothing to send
 */
export function usePasskey(purpose: "sign_in" | "confirm" | "add") {
  const { accountMark } = useFrame();
  const field = useRef<HTMLInputElement>(null);
  const isAsking = useRef(false);
  const [problem, setProblem] = useState<string | null>(null);

  function onSubmit(event: SubmitEvent<HTMLFormElement>) {
    const input = field.current;
    // What the passkey said is there: now the form is sent like others.
    if (input?.value !== "") return;
    event.preventDefault();
    if (!isAsking.current) void ask(event.currentTarget, input);
  }

  async function ask(form: HTMLFormElement, input: HTMLInputElement) {
    isAsking.current = true;
    setProblem(null);
    const asked = await askPasskey(purpose, accountMark);
    isAsking.current = false;
    if ("problem" in asked) return setProblem(asked.problem);
    input.value = asked.passkey;
    form.requestSubmit();
    // Once: another press asks anew.
    input.value = "";
  }

  return { field, onSubmit, problem };
}
