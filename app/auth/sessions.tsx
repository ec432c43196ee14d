import { useState } from "react";
import { data, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { AccountLine } from "../ui/account-line.tsx";
import { SubmitButton } from "../ui/button.tsx";
import { Dialog, KeepButton } from "../ui/dialog.tsx";
import { FormattedDate, FormattedEnd } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { sendPress } from "../ui/send-form.ts";
import type { Route } from "./+types/sessions.ts";
import { AccountPage, RemovableLine } from "./account-page.tsx";
import { requireFreshSession } from "./session.server.ts";
import { endSessions, listSessions } from "./sessions.server.ts";

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

export const clientAction = sendPress;

export default function Sessions({ loaderData, actionData }: Route.ComponentProps) {
  const { sessions, wereEnded } = loaderData;
  return (
    <AccountPage title="Where you’re signed in">
      {actionData?.message && <Notice tone="bad">{actionData.message}</Notice>}
      {wereEnded && !actionData && <Notice tone="good">Signed out.</Notice>}
      {sessions.length > 1 ? (
        <p>
          Don’t recognize a device? Sign it out and{" "}
          <PageLink href="/account/password">change your password</PageLink>.
        </p>
      ) : (
        <p>You’re signed in on this device only.</p>
      )}
      <dl className="w-full">
        {sessions.map(({ id, device, since, lastSeen, isThisOne }) => {
          const facts = (
            <>
              {!isThisOne && (
                <div>
                  Last seen <FormattedEnd instant={lastSeen} />
                </div>
              )}
              <div>
                Signed in on <FormattedDate instant={since} />
              </div>
            </>
          );
          const name = (
            <>
              <strong className="text-ink">{device}</strong>
              {isThisOne && " (this device)"}
            </>
          );
          if (isThisOne) return <AccountLine key={id} name={name} facts={facts} />;
          return (
            <RemovableLine key={id} name={name} facts={facts}>
              {(fetcher) => (
                <PostForm fetcher={fetcher}>
                  <input type="hidden" name="end" value={id} />
                  <SubmitButton isQuiet pendingLabel="Ending…">
                    Sign out <span className="sr-only">{device}</span>
                  </SubmitButton>
                </PostForm>
              )}
            </RemovableLine>
          );
        })}
      </dl>
      {sessions.length > 1 && <SignOutOthers />}
    </AccountPage>
  );
}

/** Asks first where React runs: signing in again may need a password that is not at hand. */
function SignOutOthers() {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <PostForm
        onSubmit={(event) => {
          event.preventDefault();
          setIsAsked(true);
        }}
      >
        <input type="hidden" name="end" value="others" />
        <SubmitButton isDangerous pendingLabel="Signing out…">
          Sign out all other devices
        </SubmitButton>
      </PostForm>
      {isAsked && (
        <Dialog title="Sign out all other devices?" onClose={() => setIsAsked(false)}>
          <p>You stay signed in here. Everywhere else, and in every other browser, you log in again.</p>
          <PostForm className="flex flex-wrap gap-4">
            <input type="hidden" name="end" value="others" />
            <SubmitButton isDangerous pendingLabel="Signing out…">
              Sign them out
            </SubmitButton>
            <KeepButton close={() => setIsAsked(false)} href="/account/sessions">
              Leave them signed in
            </KeepButton>
          </PostForm>
        </Dialog>
      )}
    </>
  );
}
