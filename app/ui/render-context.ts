import { createContext } from "react";
import type { RootData } from "./site.ts";

/** Data of the request during rendering. */
export const RenderContext = createContext<{
  /** The address of the account pages' script, for a page that has it. */
  script?: string;
  requestId?: string;
  /** The page answers a form. */
  isSubmission?: boolean;
  /** And a script sent that form, and shows a part of this page in the one it is on. */
  isSentByScript?: boolean;
  stylesheet?: string;
  /** Root data, where the root's loader has not run: when an action threw. */
  fallback?: RootData;
  /** Whose page it is, for its forms: see `PostForm`. */
  accountMark?: string;
  /** What was typed into this page before, by the names of its fields. */
  typed?: Record<string, string>;
  /** The reader’s, where they are signed in and it is known. */
  timeZone?: string | null;
  /** The policy allows it by its hash. */
  inlineScript?: string;
}>({});
