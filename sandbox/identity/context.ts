import type { Pool } from "pg";
import type { Face } from "./clients.ts";
import type { Knobs } from "./control.ts";
import type { identityEndpoints } from "./endpoints.ts";

/** One request, and everything its answer may depend on. */
export interface Call {
  request: Request;
  url: URL;
  /** As they stood when the request came. */
  knobs: Knobs;
  pool: Pool;
  publicOrigin: string;
  loopback: string;
  endpoints: ReturnType<typeof identityEndpoints>;
  clients: Record<Face, { clientId: string; clientSecret: string }>;
  /** Aborted when nobody may be kept waiting any more. */
  closing: AbortSignal;
  log: (message: string) => void;
}
