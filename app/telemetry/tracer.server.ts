import { setTimeout as sleep } from "node:timers/promises";
import type { Span } from "@opentelemetry/api";
import type { CurrentWork } from "./work.server.ts";

/** Numbers and short words, no user input. */
type SpanAttributes = Record<string, string | number | boolean>;

/** Does nothing without an endpoint. */
export interface Tracer {
  /** Of a whole request or job; the trace has the id of the work. */
  begin(id: string, name: string, kind: "request" | "job"): Span | undefined;
  /** A step of the current work, such as a query; outside of any, none is made. @returns what ends it, with its error */
  step(name: string, attributes: SpanAttributes): (error?: unknown) => void;
}

const NOTHING = () => {};

export const NO_TRACER: Tracer = { begin: () => undefined, step: () => NOTHING };

/** While the collector is away the rest is dropped. */
const MAX_WAITING_SPANS = 2_048;
const SEND_EVERY_MILLISECONDS = 2_000;
const SEND_TIMEOUT_MILLISECONDS = 5_000;
const CLOSE_TIMEOUT_MILLISECONDS = 2_000;
/** The text of a statement is the longest attribute. */
const MAX_ATTRIBUTE_LENGTH = 2_000;

/** Loads OpenTelemetry's SDK, which processes without an endpoint need not pay for. */
export async function openTracer(
  currentWork: CurrentWork,
  { url, service, version }: { url: string; service: string; version: string },
): Promise<Tracer & { close(): Promise<void> }> {
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    sdk,
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const random = new sdk.RandomIdGenerator();
  let nextTraceId: string | undefined;
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.version": version }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url, timeoutMillis: SEND_TIMEOUT_MILLISECONDS }), {
        maxQueueSize: MAX_WAITING_SPANS,
        scheduledDelayMillis: SEND_EVERY_MILLISECONDS,
        exportTimeoutMillis: SEND_TIMEOUT_MILLISECONDS,
      }),
    ],
    idGenerator: {
      generateTraceId: () => nextTraceId ?? random.generateTraceId(),
      generateSpanId: () => random.generateSpanId(),
    },
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
  });
  const tracer = provider.getTracer("site");

  return {
    begin(id, name, kind) {
      // Read at once, while the span is made.
      nextTraceId = id;
      const options = { root: true, kind: kind === "request" ? SpanKind.SERVER : SpanKind.CONSUMER };
      const span = tracer.startSpan(name, options, ROOT_CONTEXT);
      nextTraceId = undefined;
      return span;
    },
    step(name, attributes) {
      const whole = currentWork.getStore()?.span;
      if (!whole?.isRecording()) return NOTHING;
      const options = { kind: SpanKind.CLIENT, attributes };
      const span = tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, whole));
      return (error) => {
        if (error) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
    },
    async close() {
      const late = sleep(CLOSE_TIMEOUT_MILLISECONDS, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}
