import { readUser } from "../auth/session.server.ts";
import { fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/check.ts";
import { answerAbout } from "./check-answer.server.ts";

/** What the code in the query would do for whoever asks. It is not used. */
export async function loader(args: Route.LoaderArgs) {
  const query = new URL(args.request.url).searchParams;
  const { app, state } = fromContext(args.context);
  return answerAbout(app, state, await readUser(args), {
    code: query.get("code") ?? "",
    tier: query.get("tier"),
  });
}

/** Whatever else is sent meanwhile, the answer stays: asking once more would count as another try. */
export function shouldRevalidate(): boolean {
  return false;
}
