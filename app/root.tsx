import { type ReactNode, use } from "react";
import {
  isRouteErrorResponse,
  Meta,
  Outlet,
  useLocation,
  useMatches,
  useRouteLoaderData,
} from "react-router";
import type { Route } from "./+types/root.ts";
import type { loader as signedInLoader } from "./account/profile/signed-in.tsx";
import { SignedInAs } from "./account/profile/signed-in-as.tsx";
import type { loader as consoleLoader } from "./admin/console.tsx";
import { ConsoleHeader } from "./admin/console-header.tsx";
import type { FeatureStates } from "./entitlements/features.ts";
import { type App, fromContext, type RequestState } from "./http/context.server.ts";
import { ButtonLink } from "./ui/button.tsx";
import { COLORS, NIGHT_PAPER } from "./ui/colors.ts";
import { Footer } from "./ui/footer.tsx";
import { Header } from "./ui/header.tsx";
import { NotFound } from "./ui/not-found-notice.tsx";
import { Prose } from "./ui/prose.tsx";
import { reloadScript } from "./ui/reload-script.ts";
import { RenderContext } from "./ui/render-context.ts";
import { handleOf } from "./ui/route-handle.ts";
import type { RootData } from "./ui/site.ts";
import { SupportLinkOf } from "./ui/support-link.tsx";

export function loader({ context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  return rootData(app, state);
}

/** What every page needs: its header, its footer, and what it says of the features. */
export function rootData(
  { catalogue, config, features }: Pick<App, "catalogue" | "config" | "features">,
  { hasSession }: Pick<RequestState, "hasSession">,
): RootData & { features: FeatureStates } {
  return {
    site: config.site,
    year: new Date().getUTCFullYear(),
    hasSession,
    isSelling: catalogue.current().length > 0,
    features: features.current(),
  };
}

function useRootData() {
  const { fallback } = use(RenderContext);
  return useRouteLoaderData<typeof loader>("root") ?? fallback;
}

export function Layout({ children }: { children: ReactNode }) {
  const { script, stylesheet, inlineScript } = use(RenderContext);
  const { hasScript } = handleOf(useMatches());
  const account = useAccountInHeader();
  const root = useRootData();
  const consoleFrame = useRouteLoaderData<typeof consoleLoader>("console");
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={COLORS.paper} media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content={NIGHT_PAPER} media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" sizes="any" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <Meta />
        <style>{stylesheet}</style>
      </head>
      <body>
        <a className="skip-link" href="#content">
          Skip to the content
        </a>
        {root && consoleFrame && <ConsoleHeader site={root.site} {...consoleFrame} />}
        {root && !consoleFrame && (
          // Pages with the script know who is signed in; on /login nobody is, whatever the cookie says.
          <Header site={root.site} account={account} hasSession={!hasScript && root.hasSession} />
        )}
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        {root && !consoleFrame && <Footer site={root.site} year={root.year} />}
        {inlineScript && <script type="module">{inlineScript}</script>}
        {import.meta.env.DEV && <script type="module">{reloadScript()}</script>}
        {script && <script type="module" src={script} />}
      </body>
    </html>
  );
}

/** What the header of an account page says of whose it is; `undefined` for everybody who is not signed in. */
function useAccountInHeader() {
  const { isSignedIn = false } = handleOf(useMatches());
  const frame = useRouteLoaderData<typeof signedInLoader>("signed-in");
  // An error page may lack the layout's data: then the user still counts as signed in.
  if (!isSignedIn || frame?.person === null) return undefined;
  return {
    person: frame?.person && <SignedInAs person={frame.person} />,
    isAdmin: frame?.isAdmin ?? false,
    isOperator: frame?.isOperator ?? false,
  };
}

export default function Root() {
  return <Outlet />;
}

/** @param why the reason as a sentence, if known */
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

function SupportAddress() {
  const root = useRootData();
  return root ? <SupportLinkOf {...root.site} /> : "us";
}
