import { createContext } from "react";
import type { RootData } from "./site.ts";

/** Data of the request during rendering; in the browser `isHydrated` and `nonce` alone. */
export const RenderContext = createContext<{
  /** Whether React runs on this page in the browser. */
  isHydrated?: boolean;
  /** The CSP nonce of the framework's scripts, and of style elements that a package writes. */
  nonce?: string;
  requestId?: string;
  /** The page answers a form. */
  isSubmission?: boolean;
  stylesheet?: string;
  /** Its files instead, while developing: Vite replaces those that change. */
  stylesheetFiles?: string[];
  /** Root data, where the root's loader has not run: when an action threw. */
  fallback?: RootData;
  /** The page's account, for its forms: see `PostForm`. */
  accountMark?: string;
  /** The reader’s, where they are signed in and it is known. */
  timeZone?: string | null;
  /** The policy allows it by its hash. */
  inlineScript?: string;
}>({});
