import { createContext } from "react";

/** What the server knows of the request while it renders; in the browser there is nothing to know. */
export const RenderContext = createContext<{ nonce?: string; requestId?: string; stylesheet?: string }>({});
