import { data, redirect } from "react-router";
import { readForm } from "../../http/form.server.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { toPreview } from "../../mail/plain-text.ts";
import {
  countSubscribers,
  deleteEntry,
  entryForm,
  findEntry,
  mailEntry,
  saveEntry,
} from "../../news/changelog.server.ts";
import { changelogMessage } from "../../news/messages.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import type { Site } from "../../ui/site.ts";
import { ConsolePage, ConsolePart, formatCount, Moment, NotThere } from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { requireOperator } from "../operator.server.ts";
import { ConfirmedAction, HiddenFields, Sure } from "../press.tsx";
import type { Route } from "./+types/entry.ts";
import { EntryForm } from "./entry-form.tsx";

const FLASHES: Flashes = {
  saved: ["good", "Saved. Every page shows it within a second."],
  unsure: ["bad", "Nothing was sent: tick the box to say that you are sure."],
};

const LIST = { href: "/admin/changelog", label: "Changelog" };

export const handle: RouteHandle = {
  flash: (said) => {
    const [, people] = /^mailed-(\d{1,9})$/.exec(said) ?? [];
    return people
      ? { tone: "good", text: `It’s being emailed to ${peopleOf(Number(people))}.` }
      : flashIn(FLASHES)(said);
  },
};

const peopleOf = (count: number) => (count === 1 ? "1 person" : `${formatCount(count)} people`);

export async function loader(args: Route.LoaderArgs) {
  const { db, config } = await requireOperator(args);
  const [entry, subscribers] = await Promise.all([findEntry(db, args.params.entry), countSubscribers(db)]);
  return data(
    { entry, subscribers, mail: entry && mailOf(entry, config.site) },
    { status: entry ? 200 : 404 },
  );
}

function mailOf(entry: Parameters<typeof changelogMessage>[0], site: Site) {
  const recipient = { email: "", leaveUrl: `${site.origin}/news/unsubscribe?token=…` };
  const message = changelogMessage(entry, recipient, site);
  return { subject: message.subject, text: toPreview(site, message) };
}

export async function action(args: Route.ActionArgs) {
  const { db, operator } = await requireOperator(args);
  const id = args.params.entry;
  const here = `/admin/changelog/${id}`;
  const form = await readForm(args.request);
  if (form.get("do") === "delete") {
    await deleteEntry(db, operator, id);
    return redirect("/admin/changelog?said=deleted", 303);
  }
  if (form.get("do") === "mail") {
    if (!form.has("sure")) return redirect(`${here}?said=unsure`, 303);
    const people = await countSubscribers(db);
    return redirect((await mailEntry(db, operator, id)) ? `${here}?said=mailed-${people}` : here, 303);
  }
  return submitForm(args, {
    schema: entryForm,
    form,
    failure: "an entry of the changelog was not saved",
    work: async (entry) => {
      await saveEntry(db, operator, { ...entry, id });
      return redirect(`${here}?said=saved`, 303);
    },
  });
}

export default function Entry({ loaderData, actionData }: Route.ComponentProps) {
  const { entry, subscribers, mail } = loaderData;
  if (!entry) return <NotThere title="Entry" list={LIST} />;
  return (
    <ConsolePage title={entry.title} above={LIST}>
      <div className="console-parts">
        <ConsolePart id="edit" title="Edit">
          <EntryForm entry={entry} answer={actionData} />
        </ConsolePart>
        <ConsolePart id="send" title="Email it">
          {entry.mailedAt ? (
            <p>
              Emailed <Moment instant={entry.mailedAt} />. Nobody gets it twice, and changes aren’t emailed.
            </p>
          ) : (
            <>
              <p>
                <strong>{peopleOf(subscribers)}</strong>
                {` turned product news on and confirmed ${subscribers === 1 ? "their address" : "their addresses"}. Each gets one email with the saved title and text.`}
              </p>
              {mail && (
                <details data-quiet="" open>
                  <summary>{`Read “${mail.subject}”`}</summary>
                  <pre className="console-mail-text">{mail.text}</pre>
                </details>
              )}
              {subscribers > 0 && (
                <PostForm action="?" className="console-form">
                  <HiddenFields fields={{ do: "mail" }} />
                  <Sure label={`Email ${peopleOf(subscribers)}: this can’t be undone`} />
                  <SubmitButton isQuiet pendingLabel="One moment…">
                    {`Email ${peopleOf(subscribers)}`}
                  </SubmitButton>
                </PostForm>
              )}
            </>
          )}
        </ConsolePart>
      </div>
      <ConfirmedAction title="Delete" fields={{ do: "delete" }} label="Delete the entry">
        <p>It’s gone from every page and from the feed. Emails that were sent stay.</p>
      </ConfirmedAction>
    </ConsolePage>
  );
}
