import { useLocation } from "react-router";
import type { TryItResult } from "./from-query.ts";
import { ISLAND_ID, TryItForm } from "./try-it-form.tsx";

/** Without a script the form submits to the server; once it is in view, island.tsx hydrates it, and nothing is sent any more. */
export function TryIt({ result }: { result: TryItResult }) {
  const { pathname } = useLocation();
  return (
    <section id="try-it" className="band try-it" aria-labelledby="try-it-title">
      <h2 id="try-it-title">Try it on a statement</h2>
      <p className="measure">
        Name a category and type a few words your bank uses for it. Every line with one of those words gets
        your label. The others still need a name.
      </p>
      <div id={ISLAND_ID} className="grid gap-6 md:gap-x-16 items-start md:grid-cols-2">
        <TryItForm pathname={pathname} result={result} />
      </div>
    </section>
  );
}
