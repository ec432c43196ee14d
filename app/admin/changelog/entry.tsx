import { data, redirect } from "react-router";
import { readForm } from "../../http/form.server.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import {
  countSubscribers,
  deleteEntry,
  entryForm,
  findEntry,
  mailEntry,
  saveEntry,
} from "../../news/changelog.server.ts";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { ConsolePage, ConsolePart, formatCount, Moment, NotThere } from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { requireOperator } from "../operator.server.ts";
import { ConfirmedAction } from "../press.tsx";
import type { Route } from "./+types/entry.ts";
import { EntryForm } from "./entry-form.tsx";

const FLASHES: Flashes = {
  saved: ["good", "Saved. Every page shows it within a second."],
  mailed: ["good", "It’s being mailed."],
};

const LIST = { href: "/admin/changelog", label: "Changelog" };

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const [entry, subscribers] = await Promise.all([findEntry(db, args.params.entry), countSubscribers(db)]);
  return data({ entry, subscribers }, { status: entry ? 200 : 404 });
}

export async function action(args: Route.ActionArgs) {
  const { db, operator } = await requireOperator(args);
  const id = args.params.entry;
  const here = `/admin/changelog/${id}`;
  const press = (await readForm(args.request.clone())).get("press");
  if (press === "delete") {
    await deleteEntry(db, operator, id);
    return redirect("/admin/changelog?said=deleted", 303);
  }
  if (press === "mail")
    return redirect((await mailEntry(db, operator, id)) ? `${here}?said=mailed` : here, 303);
  return submitForm(args, {
    schema: entryForm,
    failure: "an entry of the changelog was not saved",
    work: async (entry) => {
      await saveEntry(db, operator, { ...entry, id });
      return redirect(`${here}?said=saved`, 303);
    },
  });
}

export default function Entry({ loaderData: { entry, subscribers }, actionData }: Route.ComponentProps) {
  if (!entry) return <NotThere title="Entry" list={LIST} />;
  const people = subscribers === 1 ? "person" : "people";
  return (
    <ConsolePage title={entry.title} above={LIST}>
      <div className="console-parts">
        <ConsolePart id="edit" title="Edit">
          <EntryForm entry={entry} answer={actionData} />
        </ConsolePart>
        <ConsolePart id="send" title="Email it">
          {entry.mailedAt ? (
            <p>
              Mailed <Moment instant={entry.mailedAt} />. Nobody gets it twice, and changes aren’t mailed.
            </p>
          ) : (
            <ConfirmedAction
              title="Mail it…"
              fields={{ press: "mail" }}
              label={`Mail it to ${formatCount(subscribers)} ${people}`}
              isSafe
            >
              <p>
                Everyone who turned on product news gets one email with this title and text. It can’t be
                called back.
              </p>
            </ConfirmedAction>
          )}
        </ConsolePart>
        <ConsolePart id="delete" title="Delete">
          <ConfirmedAction title="Delete…" fields={{ press: "delete" }} label="Delete the entry">
            <p>It’s gone from every page and from the feed. Emails that were sent stay.</p>
          </ConfirmedAction>
        </ConsolePart>
      </div>
    </ConsolePage>
  );
}
