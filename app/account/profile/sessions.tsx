import { data, redirect } from "react-router";
import { z } from "zod";
import { requireFreshSession } from "../../auth/session.server.ts";
import { endSessions, listSessions } from "../../auth/sessions.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { FormattedDate } from "../../ui/formatted-date.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { Route } from "./+types/sessions.ts";
import { AccountPage } from "./account-page.tsx";

/** A session's id, or `others` for all but this one. */
const endForm = z.object({ end: z.string().regex(/^[\w-]{1,100}$/) });

export async function loader(args: Route.LoaderArgs) {
  const { id, user } = await requireFreshSession(args);
  const sessions = await listSessions(fromContext(args.context).app.db, user.id);
  return {
    sessions: sessions
      .map((session) => ({ ...session, isThisOne: session.id === id }))
      .toSorted((a, b) => Number(b.isThisOne) - Number(a.isThisOne)),
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
    <AccountPage title="Where you’re signed in">
      {wereEnded && <Notice tone="good">Signed out.</Notice>}
      <dl className="w-full">
        {sessions.map(({ id, device, since, lastSeen, isThisOne }) => (
          <div key={id} className="account-line">
            <dt>{device}</dt>
            <dd>
              <div>
                {isThisOne ? (
                  <strong>This device</strong>
                ) : (
                  <>
                    Last seen <Moment instant={lastSeen} />
                  </>
                )}
              </div>
              <div>
                Signed in on <FormattedDate instant={since} />
              </div>
            </dd>
            {!isThisOne && (
              <dd>
                <PostForm>
                  <input type="hidden" name="end" value={id} />
                  <SubmitButton isQuiet pendingLabel="Ending…">
                    Sign out <span className="sr-only">{device}</span>
                  </SubmitButton>
                </PostForm>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {sessions.length > 1 && (
        <PostForm>
          <input type="hidden" name="end" value="others" />
          <SubmitButton isDangerous pendingLabel="Signing out…">
            Sign out all other devices
          </SubmitButton>
        </PostForm>
      )}
      <p className="text-quiet">
        Don’t recognise a device? Sign it out and{" "}
        <PageLink href="/account/password">change your password</PageLink>.
      </p>
    </AccountPage>
  );
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** To the minute and without the year: a session not seen for 30 days has ended. */
function Moment({ instant }: { instant: Date }) {
  const iso = instant.toISOString();
  return (
    <time dateTime={iso}>
      {DAY.format(instant)}, {iso.slice(11, 16)} UTC
    </time>
  );
}
