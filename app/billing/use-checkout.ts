import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { codeOf, type ErrorCode } from "../http/errors.ts";
import { clientTokenHeaders } from "../tokens/client-tokens.ts";
import { type KeptToken, keepToken } from "../tokens/kept-token.ts";
import { ACCOUNT_HEADER } from "../ui/account-mark.ts";
import { useFrame } from "../ui/frame.ts";
import { BILLING_MESSAGES } from "./plans.ts";

interface CheckoutFailure {
  price: string;
  message: string;
}

/** By the callable function (spec §7), so that a failure keeps the page. @param origin for the return URLs */
export function useCheckout(origin: string) {
  const { accountMark } = useFrame();
  const { revalidate } = useRevalidator();
  const kept = useRef<KeptToken>(null);
  const [opening, setOpening] = useState<string | null>(null);
  const [failure, setFailure] = useState<CheckoutFailure | null>(null);

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
    if (answer.code === "unauthenticated") return form.submit();
    setOpening(null);
    setFailure({ price, message: answer.message });
    if (answer.code === "not-found") await revalidate();
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

export interface CallFailure {
  code: ErrorCode;
  message: string;
}

interface Checkout {
  price: string;
  origin: string;
  token: string | null;
  accountMark: string | undefined;
}

/** @returns the payment page's URL or a failure, "deadline-exceeded", "cancelled" or "internal" without an answer */
async function callCreateCheckoutSession({
  price,
  origin,
  token,
  accountMark,
}: Checkout): Promise<{ url: string } | CallFailure> {
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
    return {
      code: codeOf(response.status),
      message: body.error?.message ?? BILLING_MESSAGES.checkoutFailed,
    };
  } catch (error) {
    return { code: codeOfThrown(error), message: BILLING_MESSAGES.checkoutFailed };
  }
}

/** `fetch` throws a DOMException for its signal, and for the network a TypeError. */
function codeOfThrown(error: unknown): ErrorCode {
  const { name } = error instanceof DOMException ? error : { name: "" };
  if (name === "TimeoutError") return "deadline-exceeded";
  return name === "AbortError" ? "cancelled" : "internal";
}
