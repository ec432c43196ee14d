import { useSearchParams } from "react-router";
import { Notice } from "../ui/notice.tsx";

/** What a page says after one of its buttons was pressed, by the `said` its action leads to. */
export interface News {
  tone: "good" | "bad" | "plain";
  text: string;
}

/** Says what the press before has done; nothing on a page that was simply opened. */
export function Said({ news }: { news: ReadonlyMap<string, News> }) {
  const [query] = useSearchParams();
  const said = news.get(query.get("said") ?? "");
  return said ? <Notice tone={said.tone}>{said.text}</Notice> : null;
}
