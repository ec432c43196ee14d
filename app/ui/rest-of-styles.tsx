import { use } from "react";
import { RenderContext } from "./render-context.ts";

/**
 * Ends the first screen of a public page. The styles come here once more, all of them, and in the head only those of what is
 * above: a slow phone paints that before it reads the rest (decision 0072).
 */
export function RestOfStyles() {
  const { stylesheet } = use(RenderContext);
  return <style>{stylesheet}</style>;
}
