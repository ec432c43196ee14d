import { createContext } from "react";
import type { RootData } from "./site.ts";

/** What only the server's rendering knows. In the browser, `isHydrated` and `nonce` alone are set. */
export const RenderContext = createContext<{
  isHydrated?: boolean;
  /** For the framework's scripts and the style elements that a package writes (Content-Security-Policy). */
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
  /** The page's only script, which the Content-Security-Policy allows by its hash. */
  inlineScript?: string;
}>({});
