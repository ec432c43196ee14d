import { redirect } from "react-router";
import { z } from "zod";
import {
  ANNOUNCE_FEATURE,
  countHolders,
  findAnnouncement,
  previewMoves,
} from "../../billing/announcing/announce-feature.server.ts";
import { changeFeature } from "../../billing/announcing/change-feature.server.ts";
import { featureOpenMessage } from "../../billing/notices/plan-messages.ts";
import type { Queryable } from "../../db/client.server.ts";
import { loadFeatureStates } from "../../entitlements/features.server.ts";
import type { FeatureStates } from "../../entitlements/features.ts";
import { FEATURES, type Feature } from "../../entitlements/tiers.ts";
import { readForm } from "../../http/form.server.ts";
import { toPreview } from "../../mail/plain-text.ts";
import { listOpenJobs } from "../../outbox/progress.server.ts";
import type { RouteHandle } from "../../ui/route-handle.ts";
import type { Site } from "../../ui/site.ts";
import { ConsolePage } from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/features.ts";
import { FeatureSection } from "./feature-section.tsx";
import { Opening, plansThatChange } from "./opening.tsx";

const FLASHES: Flashes = {
  opened: ["good", "Open. Every page says so within a second, and those who have it are being emailed."],
  "opened-quietly": [
    "good",
    "Open. Every page says so within a second. Nobody is emailed about it this time.",
  ],
  scheduled: ["good", "The date is set. Until then, every page says that it’s still being built."],
  closed: ["good", "Closed. Every page says again that it’s being built."],
  meanwhile: ["bad", "Somebody else changed this feature meanwhile, so nothing was done. Look at it again."],
  past: ["bad", "Nothing was done: that date is over."],
  day: ["bad", "Nothing was done: choose “Now”, or give a date such as 2027-03-01."],
  unsure: ["bad", "Nothing was done: tick the box to say that you are sure."],
};

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db, config } = await requireOperator(args);
  const [states, jobs] = await Promise.all([loadFeatureStates(db), listOpenJobs(db, ANNOUNCE_FEATURE)]);
  const features = await Promise.all(
    FEATURES.map(async (feature) => ({
      feature,
      announced: await findAnnouncement(db, feature),
      holders: await countHolders(db, feature),
      job: jobs.find(({ payload }) => payload.feature === feature) ?? null,
    })),
  );
  const asked = new URL(args.request.url).searchParams.get("open");
  const opening = features.find(({ feature }) => feature === asked && !states[feature].isOpen);
  return {
    states,
    features,
    opening: opening ? await previewOpening(db, config.site, opening, states) : null,
  };
}

async function previewOpening<Opening extends { feature: Feature }>(
  db: Queryable,
  site: Site,
  opening: Opening,
  states: FeatureStates,
) {
  const { feature } = opening;
  const waiting = await previewMoves(db, feature, states[feature].openedAt ?? new Date(), false);
  const changesRefund = plansThatChange(feature, states).length > 0;
  const grant = waiting.moves.find(({ kind }) => kind === "grant") ?? null;
  const recipient = { to: site.supportEmail ?? "", site, timeZone: null, features: states, remaining: null };
  const mail = featureOpenMessage({ feature, changesRefund, grant }, recipient);
  return { ...opening, waiting, mail: { subject: mail.subject, text: toPreview(site, mail) } };
}

const featureForm = z.object({
  feature: z.enum(FEATURES),
  do: z.enum(["open", "close"]),
  /** Never by leaving the date empty: opening it can't be undone. */
  when: z.enum(["now", "date"]).default("date"),
  /** Midnight UTC. */
  day: z
    .union([z.literal("").transform(() => null), z.iso.date().transform((day) => new Date(day))])
    .default(null),
  /** The opening that the page showed. */
  seen: z.union([
    z.literal("").transform(() => null),
    z.iso.datetime().transform((instant) => new Date(instant)),
  ]),
  /** To open it. */
  sure: z.enum(["on", ""]).optional(),
});

export async function action(args: Route.ActionArgs) {
  const { db, operator } = await requireOperator(args);
  const form = featureForm.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!form.success) return say("day");
  const { feature, do: change, when, seen, sure } = form.data;
  if (change === "open" && !sure) return say("unsure", feature);
  const day = when === "now" ? null : form.data.day;
  if (change === "open" && when === "date" && !day) return say("day", feature);
  // A mistyped year would open it at once, mail every user, and backdate the end of promised refunds.
  const midnight = new Date().setUTCHours(0, 0, 0, 0);
  if (day && day.getTime() < midnight) return say("past", feature);
  const opening = day && day.getTime() > midnight ? day : "now";
  const changed = await changeFeature(db, operator, feature, change === "close" ? null : opening, seen);
  if (!changed.ok) return say("meanwhile");
  if (change === "close") return say("closed");
  if (!changed.state.isOpen) return say("scheduled");
  return say(changed.announces ? "opened" : "opened-quietly");
}

const say = (key: string, opening?: Feature) =>
  redirect(`/admin/features?said=${key}${opening ? `&open=${opening}` : ""}`, 303);

export default function Features({ loaderData: { states, features, opening } }: Route.ComponentProps) {
  if (opening) return <Opening states={states} {...opening} />;
  return (
    <ConsolePage title="Features">
      <div className="console-parts">
        {features.map((each) => (
          <FeatureSection key={each.feature} states={states} {...each} />
        ))}
      </div>
    </ConsolePage>
  );
}
