import { use } from "react";
import { useRouteLoaderData } from "react-router";
import { RenderContext } from "./render-context.ts";

/** What the layout of a signed-in page, or of the console, knows of its reader. */
export interface Frame {
  /** Whose page it is, for its forms. */
  accountMark?: string;
  /** `null`: not known. */
  timeZone?: string | null;
}

/** The frame of the page; where it has none, what is known while rendering. */
export function useFrame(): Frame {
  const signedIn = useRouteLoaderData<Frame>("signed-in");
  const console = useRouteLoaderData<Frame>("console");
  const rendering = use(RenderContext);
  return signedIn ?? console ?? rendering;
}
