import { useState } from "react";
import { data, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { FormattedDate } from "../../ui/formatted-date.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { sendPress } from "../../ui/send-form.ts";
import { AccountPage, RemovableLine } from "../account-page.tsx";
import { requireFreshSession } from "../session.server.ts";
import { UnverifiedNotice } from "../unverified-notice.tsx";
import { readSignInMethods } from "../users.server.ts";
import type { Route } from "./+types/connections.ts";
import { readEnabledProviders } from "./connect.server.ts";
import { disconnect } from "./disconnect.server.ts";
import { ProviderButtons } from "./provider-buttons.tsx";
import { isKnownProvider, isProvider, providerName } from "./providers.ts";

const PATH = "/account/connections";

const IS_LAST = "Nothing was disconnected. It’s your only sign-in method. Set a password first.";

const disconnectForm = z.object({
  disconnect: z.string().max(100),
  provider: z.string().max(100).optional(),
});

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  const { app } = fromContext(args.context);
  const methods = await readSignInMethods(app.db, user.id);
  const offer = readEnabledProviders(app, args.request);
  const connected = methods.connections.map(({ provider }) => provider);
  const notice = offer.failure ? null : noticeIn(new URL(args.request.url).searchParams, connected);
  return { ...methods, connected, offer, unverified: user.emailVerified ? null : user.email, notice };
}

function noticeIn(query: URLSearchParams, connected: string[]): string | null {
  const [added, removed] = [query.get("connected"), query.get("disconnected")];
  if (isProvider(added) && connected.includes(added))
    return `${providerName(added)} is connected. You can now sign in with it.`;
  if (removed && isKnownProvider(removed) && !connected.includes(removed))
    return `${providerName(removed)} is disconnected. You can no longer sign in with it.`;
  return null;
}

export async function action(args: Route.ActionArgs) {
  const { user } = await requireFreshSession(args);
  const sent = disconnectForm.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!sent.success) throw data(null, { status: 400 });
  const { app } = fromContext(args.context);
  const outcome = await disconnect(app, user.id, sent.data.disconnect);
  if (outcome === "last") return data({ message: IS_LAST }, { status: 409 });
  // Already disconnected.
  const { provider } = sent.data;
  return redirect(provider && isKnownProvider(provider) ? `${PATH}?disconnected=${provider}` : PATH, 303);
}

export const clientAction = sendPress;

export default function Connections({ loaderData, actionData }: Route.ComponentProps) {
  const { connections, connected, hasPassword, offer, unverified, notice } = loaderData;
  const missing = offer.providers.filter((provider) => !connected.includes(provider));
  const isLast = !hasPassword && connections.length === 1;
  // Dismissed once another provider's window opens.
  const [dismissed, setDismissed] = useState<string | null>(null);
  return (
    <AccountPage title="Connected accounts">
      {actionData && <Notice tone="bad">{actionData.message}</Notice>}
      {notice && notice !== dismissed && !actionData && <Notice tone="good">{notice}</Notice>}
      {offer.providers.length > 0 && (
        <p>
          {`Sign in with ${offer.providers.map(providerName).join(" or ")}. They can’t see what you do here.`}
        </p>
      )}
      {connections.length > 0 && (
        <dl className="w-full">
          {connections.map(({ id, provider, since }) => (
            <RemovableLine
              key={id}
              name={providerName(provider)}
              facts={
                <>
                  Connected since <FormattedDate instant={since} />
                </>
              }
            >
              {(fetcher) =>
                isLast ? (
                  <span className="text-quiet">Your only sign-in method</span>
                ) : (
                  <PostForm fetcher={fetcher}>
                    <input type="hidden" name="disconnect" value={id} />
                    <input type="hidden" name="provider" value={provider} />
                    <SubmitButton isQuiet pendingLabel="Removing…">
                      Disconnect <span className="sr-only">{providerName(provider)}</span>
                    </SubmitButton>
                  </PostForm>
                )
              }
            </RemovableLine>
          ))}
        </dl>
      )}
      {isLast && (
        <p>
          To disconnect it, <PageLink href="/account/password">set a password</PageLink> first.
        </p>
      )}
      {unverified ? (
        <UnverifiedNotice email={unverified} before="you connect an account" />
      ) : (
        <ProviderButtons
          offer={offer}
          only={missing}
          intent="connect"
          onPress={() => setDismissed(notice)}
          returnTo={(provider) => `${PATH}?connected=${provider}`}
        />
      )}
    </AccountPage>
  );
}
