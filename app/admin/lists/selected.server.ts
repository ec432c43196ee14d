import { data, replace } from "react-router";
import { z } from "zod";
import { pageUrl } from "../../http/page-url.ts";
import { SELECTED, saidOf } from "../flash.ts";
import { PAGE_SIZE } from "./keyset.server.ts";
import { changeQuery } from "./list-query.ts";

const pressedForm = z.object({
  do: z.string(),
  selected: z
    .array(
      z
        .string()
        .max(254)
        .regex(/^\P{Cc}+$/u),
    )
    .max(PAGE_SIZE),
});

/** Each row independently: rows done stay done if a later one fails. @throws the 400 page for a form that is not the list's */
export async function actOnSelected(
  request: Request,
  form: FormData,
  acts: Readonly<Record<string, (key: string) => Promise<string>>>,
): Promise<Response> {
  const sent = pressedForm.safeParse({ do: form.get("do"), selected: form.getAll(SELECTED) });
  const act = sent.success && Object.hasOwn(acts, sent.data.do) ? acts[sent.data.do] : undefined;
  if (!sent.success || !act) throw data(null, { status: 400 });
  const counts = new Map<string, number>();
  for (const key of new Set(sent.data.selected)) {
    const outcome = await act(key);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return backToList(request, saidOf(counts));
}

export function backToList(request: Request, said: string): Response {
  const { pathname, search } = pageUrl(request);
  return replace(pathname + changeQuery(search, { said }), 303);
}
