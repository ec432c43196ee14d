import type { ReactNode } from "react";
import { data, type FetcherWithComponents, redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { AccountLine } from "../../ui/account-line.tsx";
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
import { beginApp } from "./authenticator-app.server.ts";
import { pathTo, removeFactor, requireOwner, withChangeLimit } from "./change-factors.server.ts";
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
      const hasBegun = await beginApp(app, own.user.id);
      return redirect(pathTo(args, hasBegun ? "/app" : ""), 303);
    }
    const said = await removeFactor(app, own, press.do === "remove-app" ? "app" : { passkey: press.id });
    if (said !== "gone") await renewTokenAlone(args, own.id);
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
  const returnQuery = returnTo && `?${new URLSearchParams({ return_to: returnTo })}`;
  return (
    <AccountPage title="Two-step login">
      {actionData && <Notice tone="bad">{actionData.message}</Notice>}
      {notice && !actionData && <Notice tone="good">{notice}</Notice>}
      <p>
        <strong>Two-step login is {isOn ? "on" : "off"}.</strong>{" "}
        {isOn
          ? "After you log in with your password, Google, or Facebook, we ask for a second step. Someone who finds out your password still can’t get in."
          : "Turn it on and a password alone no longer gets anyone in: we also ask for a code from an app on your phone, or for a passkey."}
      </p>
      {isOn && returnTo && <ButtonLink href={returnTo}>Continue</ButtonLink>}
      {unverified ? (
        <UnverifiedNotice email={unverified} before="you set this up" />
      ) : (
        <>
          <dl className="w-full">
            {app ? (
              <RemovableLine
                name="Authenticator app"
                facts={<>Set up on {app.since && <FormattedDate instant={app.since} />}</>}
              >
                {(fetcher) => (
                  <RemoveFactor what="authenticator app" {...{ whatEnds, fetcher }}>
                    <input type="hidden" name="do" value="remove-app" />
                  </RemoveFactor>
                )}
              </RemovableLine>
            ) : (
              <AccountLine name="Authenticator app" facts="Not set up">
                <PostForm>
                  <input type="hidden" name="do" value="begin-app" />
                  <SubmitButton isQuiet={isOn} pendingLabel="Opening…">
                    Set up <span className="sr-only">an authenticator app</span>
                  </SubmitButton>
                </PostForm>
              </AccountLine>
            )}
            {passkeys.map((passkey) => (
              <RemovableLine
                key={passkey.id}
                name={
                  <>
                    Passkey “<bdi>{passkey.name}</bdi>”
                  </>
                }
                facts={
                  <>
                    <div>
                      Added on <FormattedDate instant={passkey.since} />
                    </div>
                    {passkey.lastUsed && (
                      <div>
                        Last used on <FormattedDate instant={passkey.lastUsed} />
                      </div>
                    )}
                  </>
                }
              >
                {(fetcher) => (
                  <RemoveFactor what={`passkey “${passkey.name}”`} {...{ whatEnds, fetcher }}>
                    <input type="hidden" name="do" value="remove-passkey" />
                    <input type="hidden" name="id" value={passkey.id} />
                  </RemoveFactor>
                )}
              </RemovableLine>
            ))}
            {loaderData.canHavePasskeys && (
              <AccountLine
                name={passkeys.length > 0 ? "Another passkey" : "Passkey"}
                facts="Your fingerprint, face, PIN, or security key"
              >
                <ButtonLink href={`/account/second-factor/passkey${returnQuery}`} isQuiet>
                  Add <span className="sr-only">a passkey</span>
                </ButtonLink>
              </AccountLine>
            )}
            {isOn && (
              <AccountLine name="Recovery codes" facts={codesLeft(recoveryCodesLeft)}>
                <ButtonLink href="/account/second-factor/codes" isQuiet={recoveryCodesLeft > 0}>
                  {recoveryCodesLeft > 0 ? "Get new codes" : "Get codes"}
                </ButtonLink>
              </AccountLine>
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

function whatRemovingEnds(isLast: boolean, isOperator: boolean): string {
  if (!isLast)
    return "If you remove it, your other second step keeps working, and every other device is signed out.";
  const console = isOperator ? " You can’t open the console until you set up a new one." : "";
  return `This turns two-step login off, ends your recovery codes, and signs out every other device.${console}`;
}

function codesLeft(left: number): string {
  if (left === 0) return "None. Lose your device and you’re locked out.";
  return left === 1 ? "1 left" : `${left} left`;
}

function RemoveFactor(props: {
  what: string;
  whatEnds: string;
  fetcher: FetcherWithComponents<unknown>;
  children: ReactNode;
}) {
  const { what, whatEnds, fetcher, children } = props;
  return (
    <details className="remove-factor">
      <summary className="button" data-quiet="">
        <span className="closed">Remove</span>
        <span className="opened">Keep it</span> <span className="sr-only">{what}</span>
      </summary>
      <PostForm fetcher={fetcher} className="grid gap-3 justify-items-start py-2">
        <p>{whatEnds}</p>
        {children}
        <SubmitButton isDangerous pendingLabel="Removing…">
          Remove it <span className="sr-only">: {what}</span>
        </SubmitButton>
      </PostForm>
    </details>
  );
}
