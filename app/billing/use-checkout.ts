import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { type KeptToken, keepToken } from "../tokens/kept-token.ts";
import { callCreateCheckoutSession } from "./call-checkout.ts";

/** Submits the chosen price to the callable function instead of the form, so that a failure keeps the page. */
export function useCheckout(origin: string) {
  const [pendingPrice, setPendingPrice] = useState<string | null>(null);
  const { revalidate } = useRevalidator();
  const [failure, setFailure] = useState<{ price: string; message: string } | null>(null);
  const kept = useRef<KeptToken | null>(null);

  useEffect(() => {
    const leaving = new AbortController();
    kept.current = keepToken(leaving.signal);
    kept.current.prepare();
    return () => leaving.abort();
  }, []);

  // The Back button restores the page from the browser's cache with its button still pending.
  useEffect(() => {
    const resetPending = () => setPendingPrice(null);
    window.addEventListener("pageshow", resetPending);
    return () => window.removeEventListener("pageshow", resetPending);
  }, []);

  async function start(event: SubmitEvent<HTMLFormElement>, price: string) {
    event.preventDefault();
    if (pendingPrice) return;
    const form = event.currentTarget;
    setFailure(null);
    setPendingPrice(price);
    const answer = await callCreateCheckoutSession(price, origin, kept.current?.current() ?? null);
    if ("url" in answer) return location.assign(answer.url);
    // The session ended while the page was open, or this browser has no app-check token: the form knows what to do.
    if (answer.code === "unauthenticated") return form.submit();
    setPendingPrice(null);
    setFailure({ price, message: answer.message });
    // The price is no longer on sale, so the plans shown are out of date.
    if (answer.code === "not-found") revalidate();
  }

  return { pendingPrice, failure, start, prepare: () => kept.current?.prepare() };
}
