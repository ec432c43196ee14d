import { use } from "react";
import { useRouteLoaderData } from "react-router";
import { RenderContext } from "./render-context.ts";

/** What the layout of a signed-in page, or of the console, knows about its reader. */
export interface Frame {
  /** The page's account, for its forms. */
  accountMark?: string;
  /** `null`: not known. */
  timeZone?: string | null;
}

/** The page's frame; without one, what is known during rendering. */
export function useFrame(): Frame {
  const signedIn = useRouteLoaderData<Frame>("signed-in");
  const console = useRouteLoaderData<Frame>("console");
  const rendering = use(RenderContext);
  return signedIn ?? console ?? rendering;
}
