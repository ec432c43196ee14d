import { type ReactNode, use, useEffect, useRef } from "react";
import {
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLocation,
  useMatches,
  useRouteLoaderData,
} from "react-router";
import type { Route } from "./+types/root.ts";
import type { loader as signedInLoader } from "./account/signed-in.tsx";
import { SignedInAs } from "./account/signed-in-as.tsx";
import type { loader as consoleLoader } from "./admin/console.tsx";
import { OtherAccountNotice } from "./auth/other-account-notice.tsx";
import { type FeatureStates, openness, useFeatures } from "./entitlements/features.ts";
import { type App, fromContext, type RequestState } from "./http/context.server.ts";
import { compareBuilds } from "./ui/build.ts";
import { ButtonLink } from "./ui/button.tsx";
import { COLORS, DARK_BACKGROUND } from "./ui/colors.ts";
import { Footer } from "./ui/footer.tsx";
import { Header } from "./ui/header.tsx";
import { NotFound } from "./ui/not-found-notice.tsx";
import { Prose } from "./ui/prose.tsx";
import { RenderContext } from "./ui/render-context.ts";
import { handleOf } from "./ui/route-handle.ts";
import { isUnreachable } from "./ui/send-form.ts";
import type { RootData } from "./ui/site.ts";
import { SupportLinkOf } from "./ui/support-link.tsx";
import { useHydrated } from "./ui/use-hydrated.ts";

const CONTENT_ID = "content";

export const clientMiddleware: Route.ClientMiddlewareFunction[] = [compareBuilds];

export function loader({ context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  return rootData(app, state);
}

/** For the header, the footer, and the state of the features. */
export function rootData(
  { catalogue, config, features }: Pick<App, "catalogue" | "config" | "features">,
  { build, hasSession, typed }: Pick<RequestState, "build" | "hasSession" | "typed">,
): RootData & { features: FeatureStates } {
  return {
    site: config.site,
    year: new Date().getUTCFullYear(),
    hasSession,
    isSelling: catalogue.current().length > 0,
    features: features.current(),
    build,
    typed,
  };
}

function useRootData() {
  const { fallback } = use(RenderContext);
  return useRouteLoaderData<typeof loader>("root") ?? fallback;
}

export function Layout({ children }: { children: ReactNode }) {
  const { inlineScript, nonce, isHydrated } = use(RenderContext);
  const account = useAccountInHeader();
  const root = useRootData();
  const isNothingOpen = openness(useFeatures()) === "none";
  const { header: ConsoleHeader, isOnWaitlist } = handleOf(useMatches());
  const consoleFrame = useRouteLoaderData<typeof consoleLoader>("console");
  return (
    <html
      lang="en"
      data-build={isHydrated ? root?.build : undefined}
      data-hydrated={useHydrated() || undefined}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={COLORS.paper} media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content={DARK_BACKGROUND} media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" sizes="any" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <Meta />
        <SiteStyles />
        {/* No nonce, which React would miss in the browser: the policy allows this site's own styles. */}
        {isHydrated && <Links nonce="" />}
      </head>
      <body>
        <a className="skip-link" href={`#${CONTENT_ID}`}>
          Skip to the content
        </a>
        {root && consoleFrame && ConsoleHeader && <ConsoleHeader site={root.site} {...consoleFrame} />}
        {root && !consoleFrame && (
          // On /login no user is signed in, even with a session cookie.
          <Header
            site={root.site}
            account={account}
            hasSession={!isHydrated && root.hasSession}
            offersWaitlist={isNothingOpen && !isOnWaitlist}
          />
        )}
        <main id={CONTENT_ID} tabIndex={-1}>
          {children}
        </main>
        {root && !consoleFrame && <Footer site={root.site} year={root.year} />}
        {inlineScript && <script type="module">{inlineScript}</script>}
        {import.meta.env.DEV && !isHydrated && <script type="module" src="/app/ui/reload-page.ts" />}
        {isHydrated && <ScrollRestoration nonce={nonce} />}
        {isHydrated && <Scripts nonce={nonce} />}
      </body>
    </html>
  );
}

function SiteStyles() {
  const { isHydrated, stylesheet, stylesheetFiles = [], nonce } = use(RenderContext);
  if (import.meta.env.DEV)
    return (
      <>
        {nonce && <meta property="csp-nonce" nonce={nonce} />}
        {stylesheetFiles.map((file) => (
          <link key={file} rel="stylesheet" href={file} precedence="default" />
        ))}
      </>
    );
  if (!isHydrated) return <style>{stylesheet}</style>;
  return (
    // Already in the browser: React matches it by its href.
    <style href="site" precedence="default" suppressHydrationWarning>
      {stylesheet ?? ""}
    </style>
  );
}

/** `undefined` when signed out. */
function useAccountInHeader() {
  const { isSignedIn = false } = handleOf(useMatches());
  const frame = useRouteLoaderData<typeof signedInLoader>("signed-in");
  // An error page may lack the layout's data: the user still counts as signed in.
  if (!isSignedIn || frame?.person === null) return undefined;
  return {
    person: frame?.person && <SignedInAs person={frame.person} />,
    isAdmin: frame?.isAdmin ?? false,
    isOperator: frame?.isOperator ?? false,
  };
}

export default function Root() {
  useDocumentAtBorder();
  useFocusOnNextPage();
  useFreshPage();
  return <Outlet />;
}

/** Another part of the site has other styles and scripts. */
function useDocumentAtBorder() {
  const { hydrate = false, styles = "account" } = handleOf(useMatches());
  const part = hydrate ? styles : "public";
  const shown = useRef(part);
  useEffect(() => {
    if (shown.current !== part) location.reload();
  }, [part]);
}

/** As loading a document does, unless an answer has taken the focus. */
function useFocusOnNextPage() {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    const content = document.getElementById(CONTENT_ID);
    if (!content?.contains(document.activeElement)) content?.focus({ preventScroll: true });
  }, [pathname]);
}

/** After the back/forward cache another user may be signed in, or a form was sent. */
function useFreshPage() {
  useEffect(() => {
    const reload = ({ persisted }: PageTransitionEvent) => persisted && location.reload();
    addEventListener("pageshow", reload);
    return () => removeEventListener("pageshow", reload);
  }, []);
}

/** @param why a sentence */
function BadRequest({ why = "What you sent isn’t something this page can read." }: { why?: string }) {
  const { isSubmission } = use(RenderContext);
  return (
    <Prose>
      <title>We couldn’t read that</title>
      <h1>We couldn’t read that</h1>
      <p>
        {why} {isSubmission && "Nothing was changed. Go back, reload the page and try again. "}If it keeps
        happening, email <SupportAddress />.
      </p>
      <ButtonLink href="/">Go to the home page</ButtonLink>
    </Prose>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  const { requestId, isSubmission } = use(RenderContext);
  const { pathname, search } = useLocation();
  // A link cannot send a form again.
  const canRetry = !isSubmission;
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  if (isRouteErrorResponse(error) && error.status === 409) return <OtherAccountNotice {...error.data} />;
  if (isUnreachable(error)) return <Unreachable />;
  if (isRouteErrorResponse(error) && error.status < 500)
    return <BadRequest why={typeof error.data === "string" && error.data ? error.data : undefined} />;
  const isUnavailable = isRouteErrorResponse(error) && error.status === 503;
  return (
    <Prose>
      <title>Unexpected Application Error!</title>
      <h1>Unexpected Application Error!</h1>
      <p>
        {isUnavailable
          ? "The site is very busy or its database is down. Nothing you saved is lost."
          : "Something broke on our side. Nothing you saved is lost."}{" "}
        If you were paying, check your <a href="/dashboard">dashboard</a> before you try again.
      </p>
      <p>
        {canRetry ? "Try again in a moment." : "Go back and send it again in a moment."} If it keeps
        happening, email <SupportAddress />
        {requestId ? ` and quote this number: ${requestId}` : ""}.
      </p>
      <div className="flex flex-wrap gap-4">
        {canRetry && <ButtonLink href={pathname + search}>Try again</ButtonLink>}
        <ButtonLink href="/" isQuiet={canRetry}>
          Go to the home page
        </ButtonLink>
      </div>
      {import.meta.env.DEV && error instanceof Error && <pre className="overflow-x-auto">{error.stack}</pre>}
    </Prose>
  );
}

function Unreachable() {
  const { pathname, search } = useLocation();
  return (
    <Prose>
      <title>We couldn’t reach the site</title>
      <h1>We couldn’t reach the site</h1>
      <p>Check your connection and try again.</p>
      <ButtonLink href={pathname + search}>Try again</ButtonLink>
    </Prose>
  );
}

function SupportAddress() {
  const root = useRootData();
  return root ? <SupportLinkOf {...root.site} /> : "us";
}
