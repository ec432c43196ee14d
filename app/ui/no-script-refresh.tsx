/** Only without JavaScript: effects do it sooner. */
export function NoScriptRefresh({ seconds, to }: { seconds: number; to?: string }) {
  return (
    <noscript>
      <meta httpEquiv="refresh" content={to ? `${seconds};url=${to}` : String(seconds)} />
    </noscript>
  );
}
