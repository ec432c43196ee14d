import { data } from "react-router";
import { z } from "zod";
import type { RouteArgs } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { retryJob } from "../../outbox/jobs.server.ts";
import { SELECTED } from "../lists/outcomes.ts";
import { actOnSelected, backToList } from "../lists/selected.server.ts";
import type { Operator } from "../operator.server.ts";

const retryForm = z.object({ job: z.string().regex(/^\d{1,18}$/) });

/** The action behind “Try now”, for one job or those selected. @returns the redirect to the page, which says what came of it */
export async function tryNow(args: RouteArgs, operator: Operator): Promise<Response> {
  const { db } = fromContext(args.context).app;
  const form = await readForm(args.request, SELECTED);
  if (form.has("press"))
    return actOnSelected(args.request, form, { retry: (job) => retryJob(db, operator, job) });
  const sent = retryForm.safeParse(Object.fromEntries(form));
  if (!sent.success) throw data(null, { status: 400 });
  return backToList(args.request, await retryJob(db, operator, sent.data.job));
}
