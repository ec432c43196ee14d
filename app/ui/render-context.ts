import { createContext } from "react";
import type { RootData } from "./site.ts";

/** In the browser `isHydrated` and `nonce` alone. */
export const RenderContext = createContext<{
  isHydrated?: boolean;
  /** Of the framework's scripts, and of style elements that a package writes. */
  nonce?: string;
  requestId?: string;
  isSubmission?: boolean;
  stylesheet?: string;
  /** While developing: Vite replaces those that change. */
  stylesheetFiles?: string[];
  /** Where the root's loader has not run: when an action threw. */
  fallback?: RootData;
  /** See `PostForm`. */
  accountMark?: string;
  timeZone?: string | null;
  /** The policy allows it by its hash. */
  inlineScript?: string;
}>({});
