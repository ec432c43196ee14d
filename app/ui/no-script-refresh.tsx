/** Without JavaScript, loads this page again (or another) after some seconds. With it, effects do the same sooner. */
export function NoScriptRefresh({ seconds, to }: { seconds: number; to?: string }) {
  return (
    <noscript>
      <meta httpEquiv="refresh" content={to ? `${seconds};url=${to}` : String(seconds)} />
    </noscript>
  );
}
