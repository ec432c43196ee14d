import { data, redirect } from "react-router";
import { setProductNews, wantsProductNews } from "../auth/users.server.ts";
import { fromContext } from "../http/context.server.ts";
import { isForPage } from "../http/form.server.ts";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import type { Route } from "./+types/unsubscribe.ts";
import { readUnsubscribeLink } from "./unsubscribe.server.ts";

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { config, db } = fromContext(context).app;
  const userId = readUnsubscribeLink(request, config);
  if (!userId) return data({ state: "unknown" as const }, { status: 404 });
  return { state: (await wantsProductNews(db, userId)) ? ("on" as const) : ("off" as const) };
}

/** Also the one-click unsubscribe of mail programs (RFC 8058), without cookie or Origin: the token is enough. */
export async function action({ request, context }: Route.ActionArgs) {
  const { config, db } = fromContext(context).app;
  const userId = readUnsubscribeLink(request, config);
  if (!userId) return data(null, { status: 404 });
  await setProductNews(db, userId, false);
  const { pathname, search } = new URL(request.url);
  return isForPage(request) ? redirect(pathname + search, 303) : null;
}

export default function Unsubscribe({ loaderData: { state } }: Route.ComponentProps) {
  if (state !== "on") {
    const title = state === "off" ? "You’re unsubscribed" : "This link no longer works";
    return (
      <PrivatePage title={title}>
        <h1>{title}</h1>
        <p>
          {state === "off"
            ? "You won’t get product news anymore. You can turn it on again on "
            : "You can turn product news off on "}
          <a href="/account">your account page</a>.
        </p>
      </PrivatePage>
    );
  }
  return (
    <PrivatePage title="Unsubscribe">
      <h1>Unsubscribe from product news?</h1>
      <p>You still get receipts, and emails about your plan and the security of your account.</p>
      <form method="post">
        <button type="submit" className="button">
          Unsubscribe
        </button>
      </form>
    </PrivatePage>
  );
}
