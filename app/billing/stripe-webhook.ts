import { createHmac, timingSafeEqual } from "node:crypto";
import { type App, fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/stripe-webhook.ts";
import { receivedEvent, storeEvent } from "./store-event.server.ts";

/**
 * Stripe's signed events: the payload only names the customer to sync. 200 once stored; 400 for a bad signature or no event; 503
 * while payments are off; 500 makes Stripe deliver again.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { app } = fromContext(context);
  const count = (result: Result | "failed") =>
    app.telemetry.meters.record("stripe_webhooks_total", { result });
  const body = Buffer.from(await request.arrayBuffer());
  try {
    const result = await receive(app, body, request.headers.get("stripe-signature") ?? "");
    count(result);
    const { text, status } = ANSWERS[result];
    return new Response(text, {
      status,
      headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" },
    });
  } catch (error) {
    count("failed");
    throw error;
  }
}

export function loader() {
  return new Response("Stripe delivers here with POST", { status: 405, headers: { Allow: "POST" } });
}

/** Between the signature's time and ours, either way, in seconds (Stripe's default for the past). */
const TOLERANCE_SECONDS = 300;

const ANSWERS = {
  accepted: { text: "kept", status: 200 },
  bad_signature: { text: "bad signature", status: 400 },
  not_an_event: { text: "not an event", status: 400 },
  off: { text: "payments are off", status: 503 },
} as const;

type Result = keyof typeof ANSWERS;

async function receive(app: App, body: Buffer, signature: string): Promise<Result> {
  const { payments } = app;
  if (!payments.isOn || payments.webhookSecret === "") return "off";

  if (!isSigned(body, signature, payments.webhookSecret)) {
    // As an error, since the log counts repeated ones: a stranger can send many.
    const error = new Error("bad signature");
    app.log.warn({ error }, "webhook deliveries were refused: their signature is not good");
    return "bad_signature";
  }
  const parsed = receivedEvent.safeParse(readJson(body));
  if (!parsed.success) {
    app.log.warn("a delivery with a good signature was no event");
    return "not_an_event";
  }
  await storeEvent(app.db, parsed.data);
  return "accepted";
}

/** Verifies the bytes (https://docs.stripe.com/webhooks#verify-manually): the SDK decodes them first, and others would pass. */
function isSigned(body: Buffer, header: string, secret: string): boolean {
  const parts = header.split(",").map((part) => part.trim().split("=", 2));
  const valuesOf = (wanted: string) =>
    parts.flatMap(([name, value = ""]) => (name === wanted ? [value] : []));
  const [signedAt = "", ...others] = valuesOf("t");
  if (others.length > 0 || !/^\d{1,12}$/.test(signedAt)) return false;
  if (Math.abs(Date.now() / 1000 - Number(signedAt)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(`${signedAt}.`).update(body).digest();
  return valuesOf("v1").some((value) => {
    const given = Buffer.from(value, "hex");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** `undefined`: not JSON (RFC 8259: UTF-8 without a BOM). */
function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}
