import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReactElement } from "react";
import { renderToPipeableStream, renderToStaticMarkup } from "react-dom/server";
import {
  type EntryContext,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from "react-router";
import accountStyles from "./account/account.css?inline";
import consoleStyles from "./admin/console.css?inline";
import { markOfRequest } from "./auth/account-mark.server.ts";
import { TELL_OPENER } from "./auth/providers/popup.ts";
import { PROVIDERS } from "./auth/providers/providers.ts";
import { timeZoneOf } from "./auth/session.server.ts";
import { type App, fromContext, INTERNAL_CLIENT, type RequestState } from "./http/context.server.ts";
import { contentSecurityPolicy, sourceHash } from "./http/security-headers.server.ts";
import legalStyles from "./marketing/legal/legal.css?inline";
import pageStyles from "./marketing/pages.css?inline";
import { TRY_IT_LOADER } from "./marketing/try-it/loader.server.ts";
import { rootData } from "./root.tsx";
import styles from "./styles.css?inline";
import { RenderContext } from "./ui/render-context.ts";
import { handleOf } from "./ui/route-handle.ts";
import transitions from "./ui/transitions.css?inline";
import { SHARE_SCRIPT } from "./waitlist/share-link.tsx";

const ALL = { file: "/app/styles.css", text: styles };
const PAGES = { file: "/app/marketing/pages.css", text: pageStyles };
const ACCOUNT = { file: "/app/account/account.css", text: accountStyles };
const LEGAL = { file: "/app/marketing/legal/legal.css", text: legalStyles };
const CONSOLE = { file: "/app/admin/console.css", text: consoleStyles };
const TRANSITIONS = { file: "/app/ui/transitions.css", text: transitions };

const STYLESHEETS = {
  common: sheetOf(ALL, PAGES, TRANSITIONS),
  account: sheetOf(ALL, PAGES, ACCOUNT, TRANSITIONS),
  legal: sheetOf(ALL, LEGAL, TRANSITIONS),
  console: sheetOf(ALL, CONSOLE, TRANSITIONS),
};

/** Inlined, so that a page is painted without another request. The hash is for the policy. */
function sheetOf(...parts: { file: string; text: string }[]) {
  const text = parts.map((part) => part.text).join("");
  return { text, hash: sourceHash(text), files: parts.map(({ file }) => file) };
}

/** Of pages that are not hydrated, with the hashes for the policy. */
const INLINE_SCRIPTS = {
  "try-it": { text: TRY_IT_LOADER, hash: sourceHash(TRY_IT_LOADER) },
  share: { text: SHARE_SCRIPT, hash: sourceHash(SHARE_SCRIPT) },
  "tell-opener": { text: TELL_OPENER, hash: sourceHash(TELL_OPENER) },
};

/** Then React Router gives up on a page's loaders. */
export const streamTimeout = 10_000;

/** Not streamed: pages must work without JavaScript. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  const { app, state } = fromContext(context);
  const handle = handleOf(entry.staticHandlerContext.matches.map((match) => match.route));
  // An error page could not be hydrated in place of the original.
  const isHydrated = (handle.hydrate ?? false) && entry.staticHandlerContext.errors === null;
  const nonce = isHydrated || import.meta.env.DEV ? randomBytes(16).toString("base64") : undefined;
  // When an action throws, React Router does not run the root loader.
  const hasRootData = entry.staticHandlerContext.loaderData.root !== undefined;
  const ownSheet = handle.styles ?? (handle.hydrate ? "account" : "common");
  // A console page looks nonexistent to others.
  const sheet = STYLESHEETS[status === 404 && ownSheet === "console" ? "common" : ownSheet];
  const inlineScript = handle.inlineScript && INLINE_SCRIPTS[handle.inlineScript];

  const page = (
    <RenderContext
      value={{
        isHydrated,
        nonce,
        inlineScript: inlineScript?.text,
        requestId: state.id,
        isSubmission: request.method !== "GET",
        stylesheet: sheet.text,
        stylesheetFiles: sheet.files,
        accountMark: await markOfRequest({ request, context }, handle.isSignedIn ?? false),
        timeZone: ownSheet === "console" ? null : await timeZoneOf(state),
        fallback: hasRootData ? undefined : rootData(app, state),
      }}
    >
      <ServerRouter context={entry} url={request.url} nonce={nonce} />
    </RenderContext>
  );
  const isHead = request.method === "HEAD";

  headers.set("Content-Type", "text/html; charset=utf-8");
  // Other pages may contain what the user has typed. The page cache sets its own value.
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  // React Router drops the headers of a thrown response.
  if (status === 503) headers.set("Retry-After", "5");
  if (!handle.hydrate && status === 200) headers.set("Speculation-Rules", '"/speculation-rules.json"');
  const formTargets = app.payments.isOn ? [...app.payments.checkoutOrigins] : [];
  // Any such page may have a form to sign in, connect a provider or confirm an identity.
  if (isHydrated) formTargets.push(...signInTargets(app));
  const { tokenSyncUrl } = app.config;
  headers.set(
    "Content-Security-Policy",
    contentSecurityPolicy({
      publicOrigin: app.config.publicOrigin,
      nonce: isHydrated ? nonce : undefined,
      viteNonce: import.meta.env.DEV ? nonce : undefined,
      formTargets,
      connectTargets: handle.isSignedIn && tokenSyncUrl ? [new URL(tokenSyncUrl).origin] : [],
      inlineScriptHash: inlineScript?.hash,
      // Components may import a style sheet, as the hosted app's screen does.
      styles: `${isHydrated ? "'self' " : ""}${sheet.hash}`,
      hasPhotos: handle.isSignedIn,
      hasFrames: handle.hasFrames,
      widget: handle.hasWaitlist ? app.config.waitlistWidget : null,
    }),
  );
  if (isHead) return new Response(null, { status, headers });
  const html = await renderOrTell(page, isHydrated ? nonce : undefined, app, state);
  // React's stream begins with the doctype itself.
  const document = isHydrated ? html : `<!DOCTYPE html>${html}`;
  return new Response(document, { status, headers });
}

/** @throws what a component throws: React Router shows the page for that */
async function renderOrTell(
  page: ReactElement,
  nonce: string | undefined,
  app: App,
  state: RequestState,
): Promise<string> {
  try {
    // Without hydration no page needs React's markers between texts.
    return nonce ? await renderWhole(page, nonce) : renderToStaticMarkup(page);
  } catch (error) {
    // An error response is left to the root's error boundary.
    if (!isRouteErrorResponse(error))
      app.log.error({ error, ...idOf(state) }, "a page could not be rendered");
    throw error;
  }
}

/** @throws what a component throws */
function renderWhole(page: ReactElement, nonce: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(page, {
      nonce,
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onShellError: reject,
      onError() {},
    });
  });
}

/** The providers, and the public origin when pages are served under several hosts. */
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
  // Logged when it was refused, with the original path.
  if (state.refusal) return;
  // Its line in the log has the status.
  if (isRouteErrorResponse(error) && error.status < 500) return;
  const where = { ...idOf(state), method: request.method, route: state.notes.route };
  app.log.error({ ...where, error }, "Unexpected Application Error!");
};

/** Renderings for the cache have none, so that the log counts their repeated errors. */
function idOf({ id, client }: RequestState): { id?: string } {
  return client === INTERNAL_CLIENT ? {} : { id };
}
