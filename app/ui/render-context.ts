import { createContext } from "react";
import type { RootData } from "./site.ts";

/** Data of the request during server rendering; empty in the browser. */
export const RenderContext = createContext<{
  nonce?: string;
  requestId?: string;
  /** The page answers a form. */
  isSubmission?: boolean;
  stylesheet?: string;
  /** Root data, set for pages without scripts only: the root loader has not run when an action threw. */
  fallback?: RootData;
  /** The policy allows it by its hash. */
  inlineScript?: string;
}>({});
