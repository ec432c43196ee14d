import { randomUUID } from "node:crypto";
import { parseWithZod } from "@conform-to/zod/v4";
import { redirect } from "react-router";
import { z } from "zod";
import { openness, useFeatures } from "../../entitlements/features.ts";
import { whatIsLive } from "../../entitlements/state-of-the-app.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { endOf, inviteForm, inviteNext } from "../../waitlist/invite.server.ts";
import { INVITE_ANYWAY } from "../../waitlist/limits.ts";
import { countWaitlist, readQueued } from "../../waitlist/order.server.ts";
import { Beside, ConsolePage, ConsolePart, Facts, formatCount } from "../console-page.tsx";
import { requireFreshOperator } from "../operator.server.ts";
import { HiddenFields, PlainField, Sure } from "../press.tsx";
import type { Route } from "./+types/invite.ts";
import { codeFacts, InviteForm, inviteDefaults } from "./invite-form.tsx";
import { QueueTable } from "./member-columns.tsx";

const SHOWN = 3;

/** `invitation`: its id, made with the preview, so that pressing twice invites once. */
const sendForm = inviteForm.extend({ invitation: z.uuid() });

export async function loader(args: Route.LoaderArgs) {
  const { app } = await requireFreshOperator(args);
  const { searchParams } = new URL(args.request.url);
  const submission = parseWithZod(searchParams, { schema: inviteForm });
  const result =
    searchParams.has("count") && submission.status !== "success" ? submission.reply() : undefined;
  const { waiting } = await countWaitlist(app.db);
  const defaults = submission.status === "success" ? Object.fromEntries(searchParams) : inviteDefaults();
  if (submission.status !== "success") return { defaults, waiting, result, preview: null };
  const { count, tier, months, last_day } = submission.value;
  const size = Math.min(count, waiting);
  const lastFrom = Math.max(SHOWN, size - SHOWN);
  return {
    defaults,
    waiting,
    result,
    preview: {
      invitation: randomUUID(),
      size,
      requested: count,
      terms: { tier, durationMonths: months, expiresAt: last_day ? endOf(last_day) : null },
      first: await readQueued(app.db, 0, Math.min(SHOWN, size)),
      last: await readQueued(app.db, lastFrom, size),
    },
  };
}

export async function action(args: Route.ActionArgs) {
  return submitForm(args, {
    schema: sendForm,
    failure: "Nobody was invited",
    sender: requireFreshOperator,
    async work({ invitation, ...input }, { app, operator }) {
      const outcome = await inviteNext(app, operator, invitation, input);
      return outcome.ok ? redirect(`/admin/waitlist/invitations/${invitation}?said=invited`, 303) : outcome;
    },
  });
}

export default function Invite({ loaderData, actionData }: Route.ComponentProps) {
  const { defaults, waiting, result, preview } = loaderData;
  const { form } = useRouteForm<typeof sendForm>(actionData);
  const features = useFeatures();
  return (
    <ConsolePage
      title={preview && preview.size > 0 ? `Invite ${peopleOf(preview.size)}` : "Invite people"}
      above={{ href: "/admin/waitlist", label: "Waitlist" }}
    >
      {!form.valid && (
        <ErrorSummary title="Nobody was invited" form={form} hiddenFields={Object.keys(form.allErrors)} />
      )}
      {preview ? (
        <Beside
          title="Change it"
          aside={<InviteForm defaults={defaults} waiting={waiting} answer={result} hasPreview />}
        >
          <Preview {...preview} defaults={defaults} />
        </Beside>
      ) : (
        <Beside
          title="What happens then"
          aside={
            <ul className="list">
              <li>You see who they are and what each code gives. Nothing is sent before you confirm it.</li>
              <li>Each gets one email with a code of their own, and leaves the queue.</li>
              <li>{whatIsLive(features)}</li>
            </ul>
          }
        >
          <InviteForm defaults={defaults} waiting={waiting} answer={result} />
        </Beside>
      )}
    </ConsolePage>
  );
}

type PreviewData = NonNullable<Route.ComponentProps["loaderData"]["preview"]>;

function Preview(props: PreviewData & { defaults: Record<string, string> }) {
  const { size, requested, terms, first, last, invitation, defaults } = props;
  const features = useFeatures();
  if (size === 0) return <p>Nobody is waiting, so there is nobody to invite.</p>;
  const people = peopleOf(size);
  const left = size - first.length - last.length;
  const between = left > 0 ? [{ id: "between", from: first.length + 1, to: first.length + left }] : [];
  return (
    <ConsolePart id="preview" title="Who">
      {size < requested && <p>You asked for {formatCount(requested)}; no more are waiting.</p>}
      <QueueTable label="Who will be invited" members={[...first, ...between, ...last]} />
      <Facts facts={codeFacts(terms)} />
      <PostForm className="console-form">
        <HiddenFields fields={{ ...defaults, invitation }} />
        <p>
          Each gets an email with a code of their own, and leaves the queue. If the list changes before you
          send, the people at the front then are invited.
        </p>
        <Notice tone="plain">The email says: “{whatIsLive(features)}”</Notice>
        {openness(features) === "none" ? (
          <PlainField label={`Type “${INVITE_ANYWAY}” to invite them anyway`} name="confirm" required />
        ) : (
          <Sure label={`Email ${people}: this can’t be undone`} />
        )}
        <div>
          <SubmitButton pendingLabel="Inviting…">Invite {people}</SubmitButton>
        </div>
      </PostForm>
    </ConsolePart>
  );
}

const peopleOf = (count: number) => (count === 1 ? "1 person" : `${formatCount(count)} people`);
