import { type SubmitEvent, useState } from "react";
import { useRevalidator } from "react-router";
import { clientTokenHeaders } from "../tokens/client-tokens.ts";
import { fetchToken } from "../tokens/fetch-token.ts";
import { ACCOUNT_HEADER } from "../ui/account-mark.ts";
import { useFrame } from "../ui/frame.ts";
import { BILLING_MESSAGES } from "./plans.ts";

/** By the callable function (spec §7), so that a failure is told on the page. @param origin for the return URLs */
export function useCheckout(origin: string) {
  const { accountMark } = useFrame();
  const { revalidate } = useRevalidator();
  const [opening, setOpening] = useState<string | null>(null);
  const [failure, setFailure] = useState<{ price: string; message: string } | null>(null);

  async function open(form: HTMLFormElement, price: string) {
    setFailure(null);
    setOpening(price);
    const answer = await callCreateCheckoutSession({ price, origin, accountMark });
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
    onSubmit(event: SubmitEvent<HTMLFormElement>, price: string) {
      event.preventDefault();
      if (opening === null) void open(event.currentTarget, price);
    },
  };
}

const TIMEOUT_MILLISECONDS = 70_000;
const TOKEN_TIMEOUT_MILLISECONDS = 3_000;

interface Call {
  price: string;
  origin: string;
  accountMark: string | undefined;
}

/** `status` is 0 when no answer came. */
type CallAnswer = { url: string } | { status: number; message: string };

async function callCreateCheckoutSession({ price, origin, accountMark }: Call): Promise<CallAnswer> {
  try {
    const [bearer, others] = await Promise.all([bearerHeader(accountMark), clientTokenHeaders()]);
    const response = await fetch("/functions/us-central1/createCheckoutSession", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(accountMark && { [ACCOUNT_HEADER]: accountMark }),
        ...bearer,
        ...others,
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

/** Without a token the session cookie has to do. */
async function bearerHeader(accountMark: string | undefined): Promise<Record<string, string>> {
  try {
    const { token } = await fetchToken(AbortSignal.timeout(TOKEN_TIMEOUT_MILLISECONDS), accountMark);
    return { Authorization: `Bearer ${token}` };
  } catch {
    return {};
  }
}
