import { type Meters, NO_METERS } from "./metrics.ts";
import { NO_TRACER, type Tracer } from "./tracer.server.ts";
import type { CurrentWork } from "./work.server.ts";

export interface Telemetry {
  meters: Meters;
  tracer: Tracer;
  /** `null`: log lines and spans carry no id. */
  currentWork: CurrentWork | null;
}

/** For commands and tests. */
export const NO_TELEMETRY: Telemetry = { meters: NO_METERS, tracer: NO_TRACER, currentWork: null };
