import { use } from "react";
import { useRouteLoaderData } from "react-router";
import { RenderContext } from "./render-context.ts";

export interface Frame {
  accountMark?: string;
  timeZone?: string | null;
}

export function useFrame(): Frame {
  const signedIn = useRouteLoaderData<Frame>("signed-in");
  const console = useRouteLoaderData<Frame>("console");
  const rendering = use(RenderContext);
  return signedIn ?? console ?? rendering;
}
