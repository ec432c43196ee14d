import { use } from "react";
import { RenderContext } from "./render-context.ts";

/**
 * Stands after the first screen of a page that a first visit begins with: all of the page's styles. Its head then has only
 * those of what comes before this, so that it can be painted while the rest is still on its way (decision 0037).
 */
export function RestOfStyles() {
  const { stylesheet } = use(RenderContext);
  return import.meta.env.PROD && <style>{stylesheet}</style>;
}
