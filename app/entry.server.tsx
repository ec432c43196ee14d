import { renderToReadableStream } from "react-dom/server";
import {
  type EntryContext,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from "react-router";
import { PROVIDERS } from "./auth/providers/providers.ts";
import { TELL_OPENER } from "./auth/providers/tell-opener.ts";
import { type App, fromContext, OURSELVES, type RequestState } from "./http/context.server.ts";
import { contentSecurityPolicy, sourceHash } from "./http/security-headers.server.ts";
import { TRY_IT_LOADER } from "./marketing/try-it/loader.server.ts";
import { rootData } from "./root.tsx";
import styles from "./styles.css?inline";
import { RenderContext } from "./ui/render-context.ts";
import { handleOf } from "./ui/route-handle.ts";
import transitions from "./ui/transitions.css?inline";

/** What a page without scripts carries. */
const stylesheet = styles + transitions;

/** What each kind of page may be styled by: what it carries, and nothing else. */
const STYLE_SOURCES = {
  withoutScripts: sourceHash(stylesheet),
  /** What was an account page before its action threw: the frame links to the account's own styles. */
  ofAccount: `'self' ${sourceHash(stylesheet)}`,
  withScripts: `'self' ${sourceHash(transitions)}`,
};

/** What a page without scripts may run all the same, and the policy's name for it. */
const INLINE_SCRIPTS = {
  "try-it": { text: TRY_IT_LOADER, hash: sourceHash(TRY_IT_LOADER) },
  "tell-opener": { text: TELL_OPENER, hash: sourceHash(TELL_OPENER) },
};

/** Renders a whole page before it answers: every page works without JavaScript, so none may arrive in parts. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  const { app, state } = fromContext(context);
  const handle = handleOf(entry.staticHandlerContext.matches.map((match) => match.route));
  // After an action that threw, nothing is loaded for the root: we hand it over, and scripts would miss it.
  const hasRootData = entry.staticHandlerContext.loaderData.root !== undefined;
  const hasScripts = (handle.hydrate ?? false) && hasRootData;
  const inlineScript = handle.inlineScript && INLINE_SCRIPTS[handle.inlineScript];
  // Vite's own scripts know no nonce, so while developing there is no policy for them to break.
  const nonce = hasScripts && import.meta.env.PROD ? state.nonce : undefined;

  headers.set("Content-Type", "text/html; charset=utf-8");
  // What the page cache keeps it marks anew; what is rendered for one request may hold what was typed.
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  // React Router keeps what a thrown answer says in its headers to itself.
  if (status === 503) headers.set("Retry-After", "5");
  if (!hasScripts && status === 200) headers.set("Speculation-Rules", '"/speculation-rules.json"');
  if (import.meta.env.PROD) {
    const formTargets = app.payments.isOn ? [...app.payments.checkoutOrigins] : [];
    // Wherever there are scripts somebody may sign in, connect a provider or show anew who they are.
    if (hasScripts) formTargets.push(...signInTargets(app));
    const { tokenSyncUrl } = app.config;
    headers.set(
      "Content-Security-Policy",
      contentSecurityPolicy({
        publicOrigin: app.config.publicOrigin,
        nonce,
        formTargets,
        connectTargets: handle.isSignedIn && tokenSyncUrl ? [new URL(tokenSyncUrl).origin] : [],
        inlineScriptHash: inlineScript?.hash,
        styles:
          STYLE_SOURCES[hasScripts ? "withScripts" : handle.isSignedIn ? "ofAccount" : "withoutScripts"],
        hasPhotos: handle.isSignedIn,
        widget: handle.hasWaitlist ? app.config.waitlistWidget : null,
      }),
    );
  }
  if (request.method === "HEAD") return new Response(null, { status, headers });

  let hasFailed = false;
  const page = await renderToReadableStream(
    <RenderContext
      value={{
        nonce,
        inlineScript: inlineScript?.text,
        requestId: state.id,
        ...(!hasScripts && { stylesheet, fallback: rootData(app.config) }),
      }}
    >
      <ServerRouter context={entry} url={request.url} nonce={nonce} />
    </RenderContext>,
    {
      nonce,
      signal: request.signal,
      onError(error: unknown) {
        hasFailed = true;
        // Nobody waits for it any more, or it is a refusal that a page's own error page leaves to the root's.
        if (request.signal.aborted || isRouteErrorResponse(error)) return;
        app.log.error({ error, ...idOf(state) }, "a page could not be rendered");
      },
    },
  );
  await page.allReady;
  return new Response(page, { status: hasFailed ? 500 : status, headers });
}

/** Where the forms that begin a sign-in lead: the providers, and this site under the name it signs people in by. */
function signInTargets({ providers, config }: App): string[] {
  const targets = PROVIDERS.flatMap((provider) => {
    const connection = providers[provider];
    return connection.isOn ? connection.formTargets : [];
  });
  return [...targets, ...(config.authorizedDomains.length > 1 ? [config.publicOrigin] : [])];
}

export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted) return;
  const { app, state } = fromContext(context);
  // Noted where it was refused, with the path it came by.
  if (state.refusal) return;
  const where = { ...idOf(state), method: request.method, path: new URL(request.url).pathname };
  if (isRouteErrorResponse(error) && error.status < 500)
    app.log.info({ ...where, status: error.status }, "refused");
  else app.log.error({ ...where, error }, "Unexpected Application Error!");
};

/** What somebody may name to us; a page of which nobody has seen the id is one trouble with all others like it. */
function idOf({ id, client }: RequestState): { id?: string } {
  return client === OURSELVES ? {} : { id };
}
