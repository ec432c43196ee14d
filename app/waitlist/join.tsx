import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { Notice } from "../ui/notice.tsx";
import { WAITLIST_OFFER } from "../ui/offer.ts";
import { PRIVATE_HEADERS } from "../ui/private-page.tsx";
import type { FormAnswer } from "../ui/route-form.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/join.ts";
import { joinForm, joinWaitlist, referralCode, waitlistMode } from "./join.server.ts";
import { WAITLIST_LIMITS } from "./limits.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";
import { PlaceStatement, Waitlist, WaitlistIntro } from "./waitlist.tsx";

export const handle: RouteHandle = { hasWaitlist: true };

export function loader({ request, context }: Route.LoaderArgs) {
  const mode = waitlistMode(fromContext(context).app);
  const ref = new URL(request.url).searchParams.get("ref");
  return { mode, referralCode: mode.kind === "form" ? referralCode.parse(ref) : undefined };
}

export async function action({ request, context }: Route.ActionArgs) {
  const { app, state } = fromContext(context);
  // The page may have been loaded while our own list was open.
  if (waitlistMode(app).kind !== "form") return redirect("/waitlist", 303);
  const form = await readForm(request);
  const submission = parseWithZod(form, { schema: joinForm });
  if (submission.status !== "success") return answer(submission.reply(), 400);
  try {
    const refusal = await withLimit(app, WAITLIST_LIMITS.waitlistByClient, state.client, () =>
      joinWaitlist(app.db, app.config, submission.value),
    );
    if (refusal) {
      const { status, message, headers } = refusal;
      return answer(submission.reply({ formErrors: [message] }), status, headers);
    }
  } catch (error) {
    app.log.error({ error, id: state.id }, "an address could not be put on the waitlist");
    return answer(submission.reply({ formErrors: [`${OUR_FAULT} ${state.id}.`] }), 503);
  }
  const { ref } = submission.value;
  return redirect(ref ? `/waitlist/sent?ref=${ref}` : "/waitlist/sent", 303);
}

const OUR_FAULT =
  "We couldn’t save your email address. Try again in a moment. If it keeps happening, email us and quote this number:";

/** Never cached, because it repeats what was typed. */
function answer(result: FormAnswer, status: number, headers: Record<string, string> = {}) {
  return data({ result }, { status, headers: { ...PRIVATE_HEADERS, ...headers } });
}

export default function Join({ loaderData: { mode, referralCode }, actionData }: Route.ComponentProps) {
  return (
    <div className="page py-10 md:py-16 grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16">
      <Head hasErrors={actionData !== undefined} />
      <div className="grid gap-5 content-start justify-items-start">
        <h1>
          Join the <span className="label headline-label">beta waitlist</span>
        </h1>
        {referralCode && (
          <Notice tone="plain">
            A friend invited you. Join and confirm, and they move up {PLACES_PER_FRIEND} places.
          </Notice>
        )}
        {!actionData && (
          <div className="lead">
            <WaitlistIntro mode={mode} />
          </div>
        )}
        <Waitlist mode={mode} idPrefix="join" referralCode={referralCode} result={actionData?.result} />
      </div>
      {mode.kind === "form" && <HowItGoes />}
    </div>
  );
}

/** With Open Graph tags: people on the list share links to this page. */
function Head({ hasErrors }: { hasErrors: boolean }) {
  const { product, origin } = useSite();
  const title = `Join the waitlist · ${product}`;
  const description = `Join the ${product} beta. ${WAITLIST_OFFER}`;
  return (
    <>
      <title>{hasErrors ? `Error: ${title}` : title}</title>
      <meta name="description" content={description} />
      <link rel="canonical" href={`${origin}/waitlist`} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={`${origin}/waitlist`} />
      <meta property="og:image" content={`${origin}/og/home.png`} />
    </>
  );
}

function HowItGoes() {
  return (
    <div className="grid gap-6 content-start">
      <PlaceStatement />
      <h2 className="pt-4">How it works</h2>
      <ol className="list">
        <li>Open the email we send you and confirm. That puts you on the list.</li>
        <li>See your number, and get a link to share with friends.</li>
        <li>Each friend who joins with your link and confirms moves you up {PLACES_PER_FRIEND} places.</li>
      </ol>
      <p>Leave whenever you like. We delete your email address right away.</p>
    </div>
  );
}
