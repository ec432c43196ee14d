import { data, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { Day } from "../../ui/day.tsx";
import { Notice } from "../../ui/notice.tsx";
import { requireFreshSession } from "../session.server.ts";
import type { Route } from "./+types/sessions.ts";
import { AccountPage } from "./account-page.tsx";
import { endSessions, listSessions } from "./sessions.server.ts";

/** A session's id, or all but the one that asks. */
const endForm = z.object({ end: z.string().regex(/^[\w-]{1,100}$/) });

export async function loader(args: Route.LoaderArgs) {
  const { id, user } = await requireFreshSession(args);
  const sessions = await listSessions(fromContext(args.context).app.db, user.id);
  return {
    sessions: sessions.map((session) => ({ ...session, isThisOne: session.id === id })),
    wereEnded: new URL(args.request.url).searchParams.has("ended"),
  };
}

export async function action(args: Route.ActionArgs) {
  const { id, user } = await requireFreshSession(args);
  const sent = endForm.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!sent.success) throw data(null, { status: 400 });
  const { end } = sent.data;
  await endSessions(fromContext(args.context).app.db, user.id, id, end === "others" ? "others" : { id: end });
  return redirect("/account/sessions?ended=1", 303);
}

export default function Sessions({ loaderData: { sessions, wereEnded } }: Route.ComponentProps) {
  return (
    <AccountPage title="Where you are signed in" text="SESSIONS" label={String(sessions.length)}>
      {wereEnded && <Notice tone="good">Signed out there.</Notice>}
      <dl className="w-full">
        {sessions.map(({ id, device, since, lastSeen, isThisOne }) => (
          <div key={id} className="account-line">
            <dt>{device}</dt>
            <dd>
              Last seen <Moment instant={lastSeen} />, signed in on <Day instant={since} />
            </dd>
            <dd>
              {isThisOne ? (
                <span className="label font-semibold">This one</span>
              ) : (
                <form method="post">
                  <button type="submit" name="end" value={id} className="button" data-quiet>
                    Sign out <span className="sr-only">{device}</span>
                  </button>
                </form>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {sessions.length > 1 && (
        <form method="post">
          <button type="submit" name="end" value="others" className="button">
            Sign out all others
          </button>
        </form>
      )}
      <p className="text-quiet">
        What a device is called is what its browser says of itself. If you do not know one of them, sign it
        out and <a href="/account/password">change your password</a>.
      </p>
    </AccountPage>
  );
}

/** To the minute, as exactly as it is known: a session is noted as seen every ten minutes at most. */
function Moment({ instant }: { instant: Date }) {
  return (
    <>
      <Day instant={instant} /> at {instant.toISOString().slice(11, 16)} UTC
    </>
  );
}
