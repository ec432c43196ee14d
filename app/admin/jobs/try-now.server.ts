import { data, redirect } from "react-router";
import { z } from "zod";
import type { RouteArgs } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { retryJob } from "../../outbox/jobs.server.ts";
import type { Operator } from "../operator.server.ts";

const retryForm = z.object({ job: z.string().regex(/^\d{1,18}$/) });

/** The action behind “Try now”. @returns the redirect to the page that says what came of it */
export async function tryNow(args: RouteArgs, operator: Operator, page: string): Promise<Response> {
  const sent = retryForm.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!sent.success) throw data(null, { status: 400 });
  const outcome = await retryJob(fromContext(args.context).app.db, operator, sent.data.job);
  return redirect(`${page}?said=${outcome}`, 303);
}
