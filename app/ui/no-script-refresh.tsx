/** Reloads the page, or loads another, after some seconds without JavaScript; with it, effects do so sooner. */
export function NoScriptRefresh({ seconds, to }: { seconds: number; to?: string }) {
  return (
    <noscript>
      <meta httpEquiv="refresh" content={to ? `${seconds};url=${to}` : String(seconds)} />
    </noscript>
  );
}
