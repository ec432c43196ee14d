import { createHash } from "node:crypto";
import { renderToReadableStream } from "react-dom/server";
import {
  type EntryContext,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from "react-router";
import { fromContext } from "./context.server.ts";
import { contentSecurityPolicy } from "./http/security-headers.ts";
import { RenderContext } from "./render-context.ts";
import { hasWaitlist, isHydrated } from "./root.tsx";
import stylesheet from "./ui/styles.css?inline";

/** What the policy of a page without scripts allows: these styles and no others. */
const STYLESHEET_HASH = `'sha256-${createHash("sha256").update(stylesheet).digest("base64")}'`;

/** Renders a whole page before it answers: every page works without JavaScript, so none may arrive in parts. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  const { app, state } = fromContext(context);
  const matches = entry.staticHandlerContext.matches.map((match) => match.route);
  const hasScripts = isHydrated(matches);
  // Vite's own scripts know no nonce, so while developing there is no policy for them to break.
  const nonce = hasScripts && import.meta.env.PROD ? state.nonce : undefined;

  headers.set("Content-Type", "text/html; charset=utf-8");
  if (!headers.has("Cache-Control")) {
    headers.set("Cache-Control", hasScripts ? "no-store" : "public, max-age=0, must-revalidate");
  }
  if (import.meta.env.PROD) {
    const formTargets = app.payments.isOn ? app.payments.checkoutOrigins : [];
    headers.set(
      "Content-Security-Policy",
      contentSecurityPolicy({
        nonce,
        formTargets,
        styles: hasScripts ? "'self'" : STYLESHEET_HASH,
        widget: hasWaitlist(matches) ? app.config.waitlistWidget : null,
      }),
    );
  }
  if (request.method === "HEAD") return new Response(null, { status, headers });

  let hasFailed = false;
  const page = await renderToReadableStream(
    <RenderContext value={{ nonce, requestId: state.id, stylesheet: hasScripts ? undefined : stylesheet }}>
      <ServerRouter context={entry} url={request.url} nonce={nonce} />
    </RenderContext>,
    {
      nonce,
      signal: request.signal,
      onError(error: unknown) {
        hasFailed = true;
        app.log.error({ error, id: state.id }, "a page could not be rendered");
      },
    },
  );
  await page.allReady;
  return new Response(page, { status: hasFailed ? 500 : status, headers });
}

export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted) return;
  const { app, state } = fromContext(context);
  const where = { id: state.id, method: request.method, path: new URL(request.url).pathname };
  if (isRouteErrorResponse(error)) app.log.info({ ...where, status: error.status }, "refused");
  else app.log.error({ ...where, error }, "Unexpected Application Error!");
};
