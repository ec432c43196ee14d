import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { clientTokenHeaders } from "../tokens/client-tokens.ts";
import { type KeptToken, keepToken } from "../tokens/kept-token.ts";
import { ACCOUNT_HEADER } from "../ui/account-mark.ts";
import { useFrame } from "../ui/frame.ts";
import { BILLING_MESSAGES } from "./plans.ts";

/** By the callable function (spec §7), so that a failure is told on the page. @param origin for the return URLs */
export function useCheckout(origin: string) {
  const { accountMark } = useFrame();
  const { revalidate } = useRevalidator();
  const kept = useRef<KeptToken>(null);
  const [opening, setOpening] = useState<string | null>(null);
  const [failure, setFailure] = useState<{ price: string; message: string } | null>(null);

  useEffect(() => {
    const leaving = new AbortController();
    kept.current = keepToken(leaving.signal, accountMark);
    return () => leaving.abort();
  }, [accountMark]);

  async function open(form: HTMLFormElement, price: string) {
    setFailure(null);
    setOpening(price);
    const token = kept.current?.current() ?? null;
    const answer = await callCreateCheckoutSession({ price, origin, token, accountMark });
    if ("url" in answer) return location.assign(answer.url);
    // The session has ended or changed, or there is no app-check token: submit the plain form.
    if (answer.status === 401) return form.submit();
    setOpening(null);
    setFailure({ price, message: answer.message });
    if (answer.status === 404) await revalidate();
  }

  return {
    opening,
    failure,
    prepare: () => kept.current?.prepare(),
    onSubmit(event: SubmitEvent<HTMLFormElement>, price: string) {
      event.preventDefault();
      if (opening === null) void open(event.currentTarget, price);
    },
  };
}

const TIMEOUT_MILLISECONDS = 70_000;

interface Call {
  price: string;
  origin: string;
  token: string | null;
  accountMark: string | undefined;
}

/** `status` is 0 when no answer came. */
type CallAnswer = { url: string } | { status: number; message: string };

async function callCreateCheckoutSession({ price, origin, token, accountMark }: Call): Promise<CallAnswer> {
  try {
    const response = await fetch("/functions/us-central1/createCheckoutSession", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(accountMark && { [ACCOUNT_HEADER]: accountMark }),
        ...(await clientTokenHeaders()),
      },
      body: JSON.stringify({
        data: { price, success_url: `${origin}/dashboard`, cancel_url: `${origin}/subscription` },
      }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    const body: { data?: { url: string }; error?: { message: string } } = await response.json();
    if (body.data) return { url: body.data.url };
    return { status: response.status, message: body.error?.message ?? BILLING_MESSAGES.checkoutFailed };
  } catch {
    return { status: 0, message: BILLING_MESSAGES.checkoutFailed };
  }
}
