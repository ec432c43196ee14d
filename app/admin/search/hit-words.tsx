import type { ReactNode } from "react";
import { State } from "../console-page.tsx";
import type { Hit } from "./search-path.ts";

/** @param children its title, which the page of hits has as a link */
export function HitWords({
  detail,
  state,
  children,
}: Pick<Hit, "detail" | "state"> & { children: ReactNode }) {
  return (
    <>
      <span className="console-hit">
        <strong>{children}</strong>
        {state && <State {...state} />}
      </span>
      <bdi className="text-quiet">
        {detail.split("\n").map((line) => (
          <span key={line}>{line} </span>
        ))}
      </bdi>
    </>
  );
}
