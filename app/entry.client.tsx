import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { RenderContext } from "./ui/render-context.ts";

/** A package needs it for style elements that it writes. */
const nonce = [...document.scripts].find((script) => script.nonce)?.nonce;

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RenderContext value={{ isHydrated: true, nonce }}>
        <HydratedRouter />
      </RenderContext>
    </StrictMode>,
  );
});
