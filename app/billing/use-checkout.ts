import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { type KeptToken, keepToken } from "../tokens/kept-token.ts";
import { useFrame } from "../ui/frame.ts";
import { callCreateCheckoutSession } from "./call-checkout.ts";

/** Why no payment page was opened, and for which price. */
interface CheckoutFailure {
  price: string;
  message: string;
}

/**
 * Opens the payment page by the callable function (spec §7), with the tokens that this page has at hand, so that a failure keeps
 * the page.
 *
 * @param origin the site's own, for the two return URLs
 * @returns the price that is being opened, the last failure, and what a price's form calls
 */
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
    // The session ended, or became another account's, while the page was open, or this browser has no app-check token: the form knows what to do.
    if (answer.code === "unauthenticated") return form.submit();
    setOpening(null);
    setFailure({ price, message: answer.message });
    // The price is no longer on sale, so the plans shown are out of date.
    if (answer.code === "not-found") await revalidate();
  }

  return {
    opening,
    failure,
    /** Cheap to call often. */
    prepare: () => kept.current?.prepare(),
    onSubmit(event: SubmitEvent<HTMLFormElement>, price: string) {
      event.preventDefault();
      if (opening === null) void open(event.currentTarget, price);
    },
  };
}
