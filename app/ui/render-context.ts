import { createContext } from "react";
import type { Site } from "./site.ts";

/** What the server knows of the request while it renders; in the browser there is nothing to know. */
export const RenderContext = createContext<{
  nonce?: string;
  requestId?: string;
  stylesheet?: string;
  /** Exactly for pages without scripts, when what they are for has failed before the root could load anything. */
  fallback?: { site: Site; year: number };
  /** Run as soon as the document is read; the policy allows it by its hash. */
  inlineScript?: string;
}>({});
