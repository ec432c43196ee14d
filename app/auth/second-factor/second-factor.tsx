import { data, type FetcherWithComponents, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedDate } from "../../ui/formatted-date.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { sendPress } from "../../ui/send-form.ts";
import { AccountPage, RemovableLine } from "../account-page.tsx";
import { returnToOf } from "../person-fields.server.ts";
import { isOperator, renewTokenAlone, requireFreshSession } from "../session.server.ts";
import { UnverifiedNotice } from "../unverified-notice.tsx";
import type { Route } from "./+types/second-factor.ts";
import {
  beginAuthenticatorApp,
  pathTo,
  removeFactor,
  requireOwner,
  withChangeLimit,
} from "./change-factors.server.ts";
import { hasPasskeys } from "./passkeys.server.ts";
import { readSecondFactor } from "./read-factors.server.ts";

const NOTICES = new Map<string | null, string>([
  ["app", "Your authenticator app is set up."],
  ["passkey", "Passkey added."],
  ["removed", "Removed."],
  ["off", "Two-step login is off. You log in with one step again."],
  ["gone", "That was removed already."],
]);

const pressed = z.discriminatedUnion("do", [
  z.object({ do: z.literal("begin-app") }),
  z.object({ do: z.literal("remove-app") }),
  z.object({ do: z.literal("remove-passkey"), id: z.string().max(8000) }),
]);

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  const { app } = fromContext(args.context);
  const query = new URL(args.request.url).searchParams;
  return {
    factor: await readSecondFactor(app.db, user.id),
    unverified: user.emailVerified ? null : user.email,
    canHavePasskeys: hasPasskeys(app.config),
    isOperator: isOperator(app, user),
    notice: NOTICES.get(query.get("said")) ?? null,
    returnTo: returnToOf(args, ""),
  };
}

export async function action(args: Route.ActionArgs) {
  const own = await requireOwner(args);
  const { app } = fromContext(args.context);
  const sent = pressed.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!sent.success) throw data(null, { status: 400 });
  const press = sent.data;
  const done = await withChangeLimit(args, own, async () => {
    if (press.do === "begin-app") {
      const hasBegun = await beginAuthenticatorApp(app, own.user.id);
      return redirect(pathTo(args, hasBegun ? "/app" : ""), 303);
    }
    const removed = await removeFactor(app, own, press.do === "remove-app" ? "app" : { passkey: press.id });
    if (removed !== "gone") await renewTokenAlone(args, own.id);
    const said = { removed: "removed", "removed the last": "off", gone: "gone" }[removed];
    return redirect(pathTo(args, "", said), 303);
  });
  return done instanceof Response ? done : data({ message: done.message }, done);
}

export const clientAction = sendPress;

export default function SecondFactor({ loaderData, actionData }: Route.ComponentProps) {
  const { factor, unverified, notice, returnTo, isOperator } = loaderData;
  const { isOn, app, passkeys, recoveryCodesLeft } = factor;
  const isLast = passkeys.length + (app ? 1 : 0) === 1;
  const whatEnds = whatRemovingEnds(isLast, isOperator);
  return (
    <AccountPage title="Two-step login">
      {actionData && <Notice tone="bad">{actionData.message}</Notice>}
      {notice && !actionData && <Notice tone="good">{notice}</Notice>}
      <p>
        <strong>Two-step login is {isOn ? "on" : "off"}.</strong>{" "}
        {isOn
          ? "After your password, or Google or Facebook, we ask for a second step. Someone who finds out your password still can’t get in."
          : "Turn it on and a password alone no longer gets anyone in: we also ask for a code from an app on your phone, or for a passkey."}
      </p>
      {isOn && returnTo && <ButtonLink href={returnTo}>Continue</ButtonLink>}
      {unverified ? (
        <>
          <p>Confirm your email address before you set this up.</p>
          <UnverifiedNotice email={unverified} />
        </>
      ) : (
        <>
          <dl className="w-full">
            {app ? (
              <RemovableLine
                name="Authenticator app"
                facts={<>Set up on {app.since && <FormattedDate instant={app.since} />}</>}
              >
                {(fetcher) => (
                  <RemoveFactor
                    what="authenticator app"
                    fields={{ do: "remove-app" }}
                    {...{ whatEnds, fetcher }}
                  />
                )}
              </RemovableLine>
            ) : (
              <div className="account-line">
                <dt>Authenticator app</dt>
                <dd>Not set up</dd>
                <dd>
                  <PostForm>
                    <input type="hidden" name="do" value="begin-app" />
                    <SubmitButton isQuiet={isOn} pendingLabel="Setting up…">
                      Set up <span className="sr-only">an authenticator app</span>
                    </SubmitButton>
                  </PostForm>
                </dd>
              </div>
            )}
            {passkeys.map((passkey) => (
              <RemovableLine
                key={passkey.id}
                name={
                  <>
                    Passkey “<bdi>{passkey.name}</bdi>”
                  </>
                }
                facts={<PasskeyFacts {...passkey} />}
              >
                {(fetcher) => (
                  <RemoveFactor
                    what={`passkey “${passkey.name}”`}
                    fields={{ do: "remove-passkey", id: passkey.id }}
                    {...{ whatEnds, fetcher }}
                  />
                )}
              </RemovableLine>
            ))}
            {loaderData.canHavePasskeys && (
              <div className="account-line">
                <dt>{passkeys.length > 0 ? "Another passkey" : "Passkey"}</dt>
                <dd>Your fingerprint, face, PIN or a security key</dd>
                <dd>
                  <ButtonLink href={passkeyPath(returnTo)} isQuiet>
                    Add <span className="sr-only">a passkey</span>
                  </ButtonLink>
                </dd>
              </div>
            )}
            {isOn && (
              <div className="account-line">
                <dt>Recovery codes</dt>
                <dd>{codesLeft(recoveryCodesLeft)}</dd>
                <dd>
                  <ButtonLink href="/account/second-factor/codes" isQuiet={recoveryCodesLeft > 0}>
                    {recoveryCodesLeft > 0 ? "Make new ones" : "Get codes"}
                  </ButtonLink>
                </dd>
              </div>
            )}
          </dl>
          {!isOn && (
            <p className="text-quiet">
              Turning it on signs you out on every other device. We also send you an email.
            </p>
          )}
        </>
      )}
    </AccountPage>
  );
}

function PasskeyFacts({ since, lastUsed }: { since: Date; lastUsed: Date | null }) {
  return (
    <>
      <div>
        Added on <FormattedDate instant={since} />
      </div>
      {lastUsed && (
        <div>
          Last used on <FormattedDate instant={lastUsed} />
        </div>
      )}
    </>
  );
}

function passkeyPath(returnTo: string): string {
  const path = "/account/second-factor/passkey";
  return returnTo ? `${path}?${new URLSearchParams({ return_to: returnTo })}` : path;
}

function whatRemovingEnds(isLast: boolean, isOperator: boolean): string {
  if (!isLast) return "Your other second step keeps working. Every other device is signed out.";
  const console = isOperator ? " You can’t open the console until you set up a new one." : "";
  return `This turns two-step login off, ends your recovery codes and signs out every other device.${console}`;
}

function codesLeft(left: number): string {
  if (left === 0) return "None. Lose your device and you’re locked out.";
  return left === 1 ? "1 left" : `${left} left`;
}

function RemoveFactor(props: {
  what: string;
  fields: Record<string, string>;
  whatEnds: string;
  fetcher: FetcherWithComponents<unknown>;
}) {
  const { what, fields, whatEnds, fetcher } = props;
  return (
    <details className="remove-factor">
      <summary className="button" data-quiet="">
        Remove <span className="sr-only">{what}</span>
      </summary>
      <PostForm fetcher={fetcher} className="grid gap-3 justify-items-start py-2">
        <p>{whatEnds}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <SubmitButton isDangerous pendingLabel="Removing…">
          Remove it <span className="sr-only">: {what}</span>
        </SubmitButton>
      </PostForm>
    </details>
  );
}
