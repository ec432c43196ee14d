import type { ComponentProps, ReactNode } from "react";
import { redirect } from "react-router";
import { z } from "zod";
import { personName, photoUrl } from "../auth/person-fields.server.ts";
import { providerName } from "../auth/providers/providers.ts";
import { hasSecondFactor } from "../auth/second-factor/read-factors.server.ts";
import { requireUser } from "../auth/session.server.ts";
import { countSessions } from "../auth/sessions.server.ts";
import { Address, UnverifiedNotice } from "../auth/unverified-notice.tsx";
import { readSignInMethods, setProductNews, wantsProductNews } from "../auth/users.server.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { AccountLine } from "../ui/account-line.tsx";
import { SubmitButton } from "../ui/button.tsx";
import { DialogLink, KeepButton } from "../ui/dialog.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import { UTC } from "../ui/time-zone.ts";
import type { Route } from "./+types/profile.ts";
import { DeleteForm, type DeletionData } from "./delete-form.tsx";
import { ACCOUNT_LIMITS } from "./limits.ts";
import { PhotoForm } from "./photo/photo-form.tsx";
import { updateProfile } from "./update-profile.server.ts";

export { sendForm as clientAction } from "../ui/send-form.ts";

const FAILURE = "Your profile wasn’t saved";

/** An empty photo removes it. */
const profileForm = z.object({ name: personName, photo: photoUrl.optional() });

const NOTICES = new Map<string | null, string>([
  ["profile", "Saved."],
  ["photo", "Your photo is saved."],
  ["photo-removed", "Your photo is removed."],
  ["notifications", "Saved."],
  ["password", "Your password is changed. You’ve been signed out on every other device."],
]);

export async function loader(args: Route.LoaderArgs) {
  const { id, name, email, emailVerified, image, photoVersion, timeZone } = await requireUser(args);
  const { db } = fromContext(args.context).app;
  const [methods, sessionCount, isTwoStep, wantsNews] = await Promise.all([
    readSignInMethods(db, id),
    countSessions(db, id),
    hasSecondFactor(db, id),
    wantsProductNews(db, id),
  ]);
  const query = new URL(args.request.url).searchParams;
  return {
    person: { name, email, emailVerified, image, photoVersion },
    hasPassword: methods.hasPassword,
    hasSecondFactor: isTwoStep,
    connected: methods.connections.map(({ provider }) => providerName(provider)),
    sessionCount,
    wantsNews,
    timeZone: timeZone ?? UTC,
    notice: NOTICES.get(query.get("changed")) ?? null,
    exported: query.get("export"),
  };
}

export async function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  const form = await readForm(args.request);
  if (form.get("form") === "notifications") {
    const { id } = await requireUser(args);
    await setProductNews(app.db, id, form.get("product_news") === "on");
    return redirect("/account?changed=notifications", 303);
  }
  return submitForm(args, {
    form,
    schema: profileForm,
    failure: FAILURE,
    sender: requireUser,
    work: ({ name, photo = null }, { id }) =>
      withLimit(app, ACCOUNT_LIMITS.profileByUser, id, async () => {
        await updateProfile(app.db, id, { name, image: photo });
        return redirect("/account?changed=profile", 303);
      }),
  });
}

export default function Profile({ loaderData, actionData }: Route.ComponentProps) {
  const { person, notice, exported } = loaderData;
  return (
    <div className="page grid gap-10 py-10">
      <PrivateHead title="Your account" />
      <h1>Your account</h1>
      {notice && !actionData && <Notice tone="good">{notice}</Notice>}
      {exported === "ready" && (
        <Notice tone="good">
          Your data is ready. <PageLink href="/account/export">Download it</PageLink>.
        </Notice>
      )}
      {exported === "failed" && (
        <Notice tone="bad">
          We couldn’t prepare your data. <PageLink href="/account/export">Try again</PageLink> in a moment.
        </Notice>
      )}
      {!person.emailVerified && <UnverifiedNotice email={person.email} />}
      <div className="settings">
        <Section id="person" title="Profile">
          <ProfileForm person={person} answer={actionData} />
        </Section>
        <Section id="sign-in-methods" title="Sign-in and security">
          <SignInLines {...loaderData} />
        </Section>
        <Section id="data" title="Your data">
          <dl>
            <AccountLine name="Data export" facts="Everything we store about you (JSON)">
              <PageLink href="/account/export" className="inline-flex items-center min-h-11">
                Download
              </PageLink>
            </AccountLine>
            <AccountLine name="Delete account" facts="Can’t be undone">
              <DialogLink<DeletionData>
                href="/account/delete"
                title="Delete your account"
                className="inline-flex items-center min-h-11 text-coral"
                label={
                  <>
                    Delete <span className="sr-only">account</span>
                  </>
                }
              >
                {(asked, close) => (
                  <>
                    <DeleteForm {...asked} />
                    <KeepButton close={close} href="/account">
                      Keep my account
                    </KeepButton>
                  </>
                )}
              </DialogLink>
            </AccountLine>
          </dl>
        </Section>
        <Section id="notifications" title="Notifications">
          <NotificationsForm {...loaderData} />
        </Section>
      </div>
      <p className="text-quiet">
        Dates and times are in your device’s time zone: {loaderData.timeZone.replaceAll("_", " ")}.
      </p>
    </div>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className="part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** One form (spec §7), whose link stands by the photo. */
function ProfileForm({ person, answer }: ComponentProps<typeof PhotoForm>) {
  const { form, fields, formProps } = useRouteForm<typeof profileForm>(answer, {
    id: "profile",
    defaultValue: { name: person.name, photo: person.image ?? "" },
  });
  return (
    <>
      {!form.valid && <ErrorSummary title={FAILURE} form={form} />}
      <PostForm {...formProps} className="grid gap-5 max-w-[27rem]">
        <Field field={fields.name} label="Name" input={{ autoComplete: "name", maxLength: 100 }} />
        <SubmitButton pendingLabel="Saving…">Save</SubmitButton>
      </PostForm>
      <div className="pt-4">
        {/* Begins anew once the photo has changed. */}
        <PhotoForm key={person.photoVersion} person={person}>
          <details open={Boolean(fields.photo.errors ?? fields.photo.initialValue)}>
            <summary className="folded">Use a photo from a link</summary>
            <div className="grid gap-5">
              <Field
                field={fields.photo}
                label="Photo link"
                hint={
                  person.photoVersion
                    ? "Your uploaded photo is shown instead."
                    : "Link to a photo elsewhere (https://…). Leave empty to show your initial."
                }
                input={{
                  form: form.id,
                  type: "url",
                  autoComplete: "photo",
                  autoCapitalize: "none",
                  spellCheck: false,
                }}
              />
              <button type="submit" form={form.id} className="button justify-self-start" data-quiet>
                Save the link
              </button>
            </div>
          </details>
        </PhotoForm>
      </div>
    </>
  );
}

function NotificationsForm({ wantsNews }: { wantsNews: boolean }) {
  return (
    <>
      <PostForm action="/account" className="grid gap-3 justify-items-start">
        <input type="hidden" name="form" value="notifications" />
        <label className="flex items-center gap-3 min-h-11">
          <input type="checkbox" name="product_news" defaultChecked={wantsNews} className="tick" />
          Email me product news
        </label>
        <SubmitButton isQuiet pendingLabel="Saving…">
          Update notifications
        </SubmitButton>
      </PostForm>
      <p className="text-quiet">
        Receipts and emails about your plan and your account’s security can’t be turned off.
      </p>
    </>
  );
}

function SignInLines(props: {
  person: { email: string; emailVerified: boolean };
  hasPassword: boolean;
  hasSecondFactor: boolean;
  connected: string[];
  sessionCount: number;
}) {
  const { person, hasPassword, hasSecondFactor, connected, sessionCount } = props;
  return (
    <dl>
      <LinkLine name="Email address" href="/account/email" verb="Change">
        <div>
          <Address email={person.email} />
        </div>
        <div className="text-quiet">{person.emailVerified ? "Confirmed" : "Not confirmed"}</div>
      </LinkLine>
      <LinkLine name="Password" href="/account/password" verb={hasPassword ? "Change" : "Set"}>
        {hasPassword ? "Set" : "Not set"}
      </LinkLine>
      <LinkLine
        name="Two-step login"
        href="/account/second-factor"
        verb={hasSecondFactor ? "Manage" : "Set up"}
      >
        {hasSecondFactor ? "On" : "Off"}
      </LinkLine>
      <LinkLine name="Connected accounts" href="/account/connections" verb="Manage">
        {connected.join(", ") || "None"}
      </LinkLine>
      <LinkLine name="Devices" href="/account/sessions" verb="Manage">
        {sessionCount === 1 ? "This device only" : `${sessionCount} devices`}
      </LinkLine>
    </dl>
  );
}

function LinkLine(props: { name: string; href: string; verb: string; children: ReactNode }) {
  const { name, href, verb, children } = props;
  return (
    <AccountLine name={name} facts={children}>
      <PageLink href={href} className="inline-flex items-center min-h-11">
        {verb} <span className="sr-only">{name.toLowerCase()}</span>
      </PageLink>
    </AccountLine>
  );
}
