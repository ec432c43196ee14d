import { renderToStaticMarkup } from "react-dom/server";
import { refuseOther } from "../auth/account-mark.server.ts";
import { readUser } from "../auth/session.server.ts";
import { fromContext } from "../http/context.server.ts";
import { isSentByScript } from "../ui/sent-by-script.ts";
import type { Route } from "./+types/check.ts";
import { answerAbout, refusalAbout } from "./check-answer.server.ts";
import { CodePreview } from "./code-preview.tsx";

/** What the code in the query would do for whoever asks: for a page's script as it is to be shown. It is not used. */
export async function loader(args: Route.LoaderArgs) {
  const query = new URL(args.request.url).searchParams;
  const { app, state } = fromContext(args.context);
  const user = await readUser(args);
  const asked = { code: query.get("code") ?? "", tier: query.get("tier") };
  const other = user && refuseOther(app, args.request, user);
  const answer = other ? refusalAbout(asked, other) : await answerAbout(app, state, user, asked);
  if (!isSentByScript(args.request)) return answer;
  return new Response(renderToStaticMarkup(<CodePreview answer={answer} />), {
    headers: { "Content-Type": "text/html; charset=utf-8" },
  });
}
