import { getFormProps, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import type { ReactNode } from "react";
import { Form, redirect, useNavigation } from "react-router";
import { providerName } from "../../auth/providers/provider-names.ts";
import { requireUser } from "../../auth/session.server.ts";
import { listSessions } from "../../auth/sessions.server.ts";
import { readSignInMethods } from "../../auth/sign-in-methods.server.ts";
import { updateProfile } from "../../auth/update-profile.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { LIMITS } from "../../limits/limits.ts";
import { withLimit } from "../../limits/with-limit.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { pageMeta } from "../../ui/page-meta.ts";
import { COULD_NOT_REACH, whenOffline } from "../../ui/when-offline.ts";
import { answerForm, refuse } from "../submit-form.server.ts";
import type { Route } from "./+types/profile.ts";
import { Address } from "./address.tsx";
import { profileForm } from "./profile-form.ts";
import { UnverifiedNotice } from "./unverified-notice.tsx";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Your account", "Who you are here, and how you get in.");

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

/** What the pages behind it say when they are done. */
const NEWS = new Map<string | null, string>([
  ["profile", "Saved."],
  ["password", "Your password is changed. Everybody who was signed in elsewhere has been signed out."],
]);

export async function loader(args: Route.LoaderArgs) {
  const { id, name, email, emailVerified, image } = await requireUser(args);
  const { db } = fromContext(args.context).app;
  const { hasPassword, connections } = await readSignInMethods(db, id);
  const sessions = await listSessions(db, id);
  const query = new URL(args.request.url).searchParams;
  return {
    person: { name, email, emailVerified, image },
    hasPassword,
    connected: connections.map(({ provider }) => providerName(provider)),
    sessionCount: sessions.length,
    news: NEWS.get(query.get("changed")) ?? null,
    exported: query.get("export"),
  };
}

export async function action(args: Route.ActionArgs) {
  const submission = parseWithZod(await readForm(args.request), { schema: profileForm });
  const { app } = fromContext(args.context);
  return answerForm(args, submission, "Failed to update a profile", async () => {
    const user = await requireUser(args);
    if (submission.status !== "success") return refuse(submission);
    const { name, photo = null } = submission.value;
    return withLimit(app, LIMITS.profileByUser, user.id, async () => {
      await updateProfile(app, user.id, { name, image: photo });
      return redirect("/account?changed=profile", 303);
    });
  });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline(serverAction, { status: "error", error: { "": [COULD_NOT_REACH] } });
}

export default function Profile({ loaderData, actionData }: Route.ComponentProps) {
  const { person, hasPassword, connected, sessionCount, news, exported } = loaderData;
  return (
    <div className="page grid gap-10 py-10 md:py-16">
      <h1>Your account</h1>
      {news && !actionData && <Notice tone="good">{news}</Notice>}
      {exported === "ready" && (
        <Notice tone="good">
          Thank you. Your data is ready: <a href="/account/export">download it</a>.
        </Notice>
      )}
      {exported === "failed" && (
        <Notice tone="bad">
          We could not put your data together. <a href="/account/export">Try again</a> in a moment.
        </Notice>
      )}
      {!person.emailVerified && <UnverifiedNotice email={person.email} />}
      <div className="grid gap-10 md:grid-cols-2 md:gap-16 items-start">
        <Section id="person" title="Who you are">
          <ProfileForm person={person} answer={actionData} />
        </Section>
        <Section id="ways-in" title="How you get in">
          <dl>
            <Line name="Email address" action={<Change href="/account/email" what="email address" />}>
              <div>
                <Address email={person.email} />
              </div>
              <span className="label font-semibold" data-blank={person.emailVerified ? undefined : ""}>
                {person.emailVerified ? "confirmed" : "not confirmed"}
              </span>
            </Line>
            <Line
              name="Password"
              action={
                <Change verb={hasPassword ? "Change" : "Set"} href="/account/password" what="password" />
              }
            >
              <span className="label font-semibold" data-blank={hasPassword ? undefined : ""}>
                {hasPassword ? "set" : "not set"}
              </span>
            </Line>
            <Line
              name="Connected accounts"
              action={<Change href="/account/connections" what="connected accounts" />}
            >
              {connected.join(", ") || "none"}
            </Line>
            <Line name="Signed in on" action={<Change verb="See" href="/account/sessions" what="sessions" />}>
              {sessionCount === 1 ? "this device only" : `${sessionCount} devices`}
            </Line>
          </dl>
        </Section>
        <Section id="data" title="What is yours">
          <dl>
            <Line name="Your data" action={<LineLink href="/account/export">Download</LineLink>}>
              All we keep about you, in one file (JSON)
            </Line>
            <Line name="Your account" action={<LineLink href="/account/delete">Delete</LineLink>}>
              You are asked again first
            </Line>
          </dl>
        </Section>
      </div>
    </div>
  );
}

function ProfileForm(props: {
  person: { name: string; image: string | null };
  answer: Route.ComponentProps["actionData"];
}) {
  const navigation = useNavigation();
  const [form, fields] = useForm({
    id: "profile",
    lastResult: navigation.state === "idle" ? props.answer : null,
    constraint: getZodConstraint(profileForm),
    defaultValue: { name: props.person.name, photo: props.person.image ?? "" },
    onValidate: ({ formData }) => parseWithZod(formData, { schema: profileForm }),
  });
  return (
    <>
      {!form.valid && <ErrorSummary title="Nothing has been saved" form={form} />}
      <Form method="post" {...getFormProps(form)} className="grid gap-5 max-w-[27rem]">
        <Field field={fields.name} label="Name" input={{ autoComplete: "name", maxLength: 100 }} />
        <Field
          field={fields.photo}
          label="Photo"
          hint="The web address of a picture, starting with https://. Empty: the first letter of your name."
          input={{ type: "url", autoComplete: "photo", autoCapitalize: "none", spellCheck: false }}
        />
        <div>
          <SubmitButton isPending={navigation.state !== "idle"} pendingLabel="Saving…">
            Save
          </SubmitButton>
        </div>
      </Form>
    </>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className="grid gap-5 border-t-2 border-ink pt-5" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Line({ name, action, children }: { name: string; action: ReactNode; children: ReactNode }) {
  return (
    <div className="account-line">
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd>{action}</dd>
    </div>
  );
}

function Change({ verb = "Change", href, what }: { verb?: string; href: string; what: string }) {
  return (
    <LineLink href={href}>
      {verb} <span className="sr-only">{what}</span>
    </LineLink>
  );
}

function LineLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className="inline-flex items-center min-h-11">
      {children}
    </a>
  );
}
