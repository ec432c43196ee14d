import { isMarkOfAnother, readMark } from "../auth/account-mark.server.ts";
import { readUser } from "../auth/session.server.ts";
import { fromContext } from "../http/context.server.ts";
import { ACCOUNT_FIELD, otherAccountSentence } from "../ui/account-mark.ts";
import type { Route } from "./+types/check.ts";
import { answerAbout, refusalAbout } from "./check.server.ts";

/** A redeemed code says more than this check. */
export const shouldRevalidate = () => false;

/** The form itself reports failures. */
export const clientLoader = ({ serverLoader }: Route.ClientLoaderArgs) => serverLoader().catch(() => null);

export async function loader(args: Route.LoaderArgs) {
  const query = new URL(args.request.url).searchParams;
  const { app, state } = fromContext(args.context);
  const user = await readUser(args);
  const asked = { code: query.get("code") ?? "", tier: query.get("tier") };
  const mark = query.get(ACCOUNT_FIELD);
  if (user && mark !== null && isMarkOfAnother(app, mark, user)) {
    const named = readMark(app.config.authSecrets, mark)?.email;
    return refusalAbout(asked, { message: otherAccountSentence(user.email, named) });
  }
  return answerAbout(app, state, user, asked);
}
