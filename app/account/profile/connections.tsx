import { data, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { Day } from "../../ui/day.tsx";
import { Notice } from "../../ui/notice.tsx";
import { offerProviders } from "../providers/offer.server.ts";
import { ProviderButtons } from "../providers/provider-buttons.tsx";
import { requireFreshSession } from "../session.server.ts";
import type { Route } from "./+types/connections.ts";
import { AccountPage } from "./account-page.tsx";
import { providerName } from "./provider-names.ts";
import { UnverifiedNotice } from "./unverified-notice.tsx";
import { disconnect, readWaysIn } from "./ways-in.server.ts";

const PATH = "/account/connections";

const disconnectForm = z.object({ disconnect: z.string().max(100) });

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  const { app } = fromContext(args.context);
  const ways = await readWaysIn(app.db, user.id);
  const wasDisconnected = new URL(args.request.url).searchParams.has("disconnected");
  const offer = offerProviders(app, args.request);
  return { ...ways, offer, unverified: user.emailVerified ? null : user.email, wasDisconnected };
}

export async function action(args: Route.ActionArgs) {
  const { user } = await requireFreshSession(args);
  const sent = disconnectForm.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!sent.success) throw data(null, { status: 400 });
  const { app } = fromContext(args.context);
  const outcome = await disconnect(app.db, app.config.site, user.id, sent.data.disconnect);
  if (outcome === "last") return data({ isLast: true }, { status: 409 });
  app.wakeWorkers();
  // Gone already is what was wanted.
  return redirect(`${PATH}?disconnected=1`, 303);
}

export default function Connections({ loaderData, actionData }: Route.ComponentProps) {
  const { connections, hasPassword, offer, unverified, wasDisconnected } = loaderData;
  const connected = connections.map(({ provider }) => provider);
  const missing = offer.providers.filter((provider) => !connected.includes(provider));
  const isLast = !hasPassword && connections.length === 1;
  return (
    <AccountPage title="Connected accounts" text="WAYS IN" label="Yours">
      {actionData?.isLast && (
        <Notice tone="bad">
          <p className="font-semibold">Nothing was disconnected.</p>
          <p>
            It is your only way in. <a href="/account/password">Set a password</a> first.
          </p>
        </Notice>
      )}
      {wasDisconnected && !actionData && (
        <Notice tone="good">Disconnected. It no longer signs you in.</Notice>
      )}
      <p>Who of these knows you can sign you in here. They learn nothing of what you do with your account.</p>
      {connections.length === 0 && <p>Nothing is connected yet.</p>}
      {connections.length > 0 && (
        <dl className="w-full">
          {connections.map(({ id, provider, since }) => (
            <div key={id} className="account-line">
              <dt>{providerName(provider)}</dt>
              <dd>
                Connected since <Day instant={since} />
              </dd>
              <dd>
                {isLast ? (
                  <span className="text-quiet">Your only way in</span>
                ) : (
                  <form method="post">
                    <button type="submit" name="disconnect" value={id} className="button" data-quiet>
                      Disconnect <span className="sr-only">{providerName(provider)}</span>
                    </button>
                  </form>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {isLast && (
        <p>
          To disconnect it, <a href="/account/password">set a password</a> first.
        </p>
      )}
      {unverified ? (
        <>
          <p>To connect another account, your address has to be confirmed.</p>
          <UnverifiedNotice email={unverified} />
        </>
      ) : (
        <ProviderButtons offer={offer} only={missing} intent="connect" returnTo={PATH} />
      )}
    </AccountPage>
  );
}
