import { createContext } from "react";

/** What the server knows of the request while it renders; in the browser there is nothing to know. */
export const RenderContext = createContext<{
  nonce?: string;
  requestId?: string;
  stylesheet?: string;
  /** Run as soon as the document is read; the policy allows it by its hash. */
  inlineScript?: string;
}>({});
