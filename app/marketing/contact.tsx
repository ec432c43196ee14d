import { setTimeout } from "node:timers/promises";
import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect } from "react-router";
import { ContactForm } from "../contact/contact-form.tsx";
import { judgeFillTime, signTime } from "../contact/fill-time.server.ts";
import { CONTACT_LIMITS } from "../contact/limits.ts";
import { contactForm, storeMessage } from "../contact/store.server.ts";
import { findTopic } from "../contact/topics.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { replyPromise } from "../ui/offer.ts";
import type { FormAnswer } from "../ui/route-form.ts";
import { networkOf, useSite } from "../ui/site.ts";
import { SupportLink } from "../ui/support-link.tsx";
import type { Route } from "./+types/contact.ts";
import { publicMeta, publicTitle } from "./seo/public-meta.ts";

/** The title depends on the form's answer. */
export const meta: Route.MetaFunction = ({ matches }) =>
  publicMeta(matches, "/contact").filter((tag) => !("title" in tag));

export function loader({ request, context }: Route.LoaderArgs) {
  const { config } = fromContext(context).app;
  return {
    openedAt: signTime(Date.now(), config.authSecret),
    topic: findTopic(new URL(request.url).searchParams.get("topic"))?.value,
  };
}

interface Answer {
  result: FormAnswer;
  /** Kept, so that the time already waited counts. */
  openedAt?: string;
  isTrapped: boolean;
}

export async function action({ request, context }: Route.ActionArgs) {
  const { app, state } = fromContext(context);
  const { authSecrets, site } = app.config;
  const form = await readForm(request);
  const openedAt = form.get("opened_at");
  const fillTime = judgeFillTime(openedAt, Date.now(), authSecrets);
  const isTrapped = Boolean(form.get("extra"));
  const submission = parseWithZod(form, { schema: contactForm });
  const again = (status: number, formErrors: string[] = [], headers: Record<string, string> = {}) => {
    const needsNewForm = fillTime.kind === "unknown" || status === 409;
    return data<Answer>(
      {
        result: submission.reply(formErrors.length > 0 ? { formErrors } : {}),
        openedAt: needsNewForm ? undefined : String(openedAt),
        isTrapped,
      },
      { status, headers: { "Cache-Control": "no-store", ...headers } },
    );
  };
  if (isTrapped) return again(400, [TRAPPED]);
  if (submission.status !== "success") return again(400);
  if (fillTime.kind === "unknown") return again(400, [EXPIRED]);
  const { value } = submission;
  try {
    const stored = await withLimit(app, CONTACT_LIMITS.contactByClient, state.client, async () => {
      // A form sent too fast is not refused: the request waits, bounded by the limit.
      if (fillTime.kind === "early") await setTimeout(fillTime.remainingSeconds * 1000);
      return storeMessage(app.db, site, fillTime.id, value);
    });
    if (stored === false) return again(409, [USED]);
    if (stored !== true) return again(stored.status, [stored.message], stored.headers);
  } catch (error) {
    app.log.error({ error, id: state.id }, "a message could not be stored");
    return again(503, [
      `We couldn’t save your message. Try again in a moment, or ${site.supportEmail ? `email ${site.supportEmail} and ` : ""}quote this number: ${state.id}.`,
    ]);
  }
  return redirect("/contact/sent", 303);
}

const TRAPPED = "Your browser may have filled in a field you can’t see. We’ve cleared it.";

const EXPIRED = "This page had been open for too long. Check your message and press Send again.";

const USED = "You already sent a message from this page. To send this one too, press Send again.";

export default function Contact({ loaderData, actionData }: Route.ComponentProps) {
  const site = useSite();
  const { supportEmail, communityUrl } = site;
  return (
    <div className="page py-10 md:py-16 grid gap-10 md:grid-cols-[1.6fr_1fr] md:gap-16">
      <title>{`${actionData ? "Error: " : ""}${publicTitle(site, "/contact")}`}</title>
      <div className="grid gap-6 content-start">
        <h1>Contact Us</h1>
        <p className="max-w-[34rem]">
          A person reads every message and answers by email. {replyPromise(site)}
        </p>
        <ContactForm
          topic={loaderData.topic}
          openedAt={actionData?.openedAt ?? loaderData.openedAt}
          isTrapped={actionData?.isTrapped ?? false}
          result={actionData?.result}
        />
      </div>
      <aside
        className="grid gap-4 content-start md:pt-4 justify-items-start"
        aria-label="Other ways to reach us"
      >
        {(communityUrl || supportEmail) && <h2 className="text-[1.5rem]">Other ways to reach us</h2>}
        <ul className="list empty:hidden">
          {communityUrl && (
            <li>
              Ask in the <a href={communityUrl}>{`community chat on ${networkOf(communityUrl)}`}</a>, where
              others can answer too. It is public, so leave out account and payment details.
            </li>
          )}
          {supportEmail && (
            <li className="[overflow-wrap:anywhere]">
              Email <SupportLink />.
            </li>
          )}
        </ul>
        <p>
          Your question may already be answered in the <a href="/faq">FAQ</a>.
        </p>
      </aside>
    </div>
  );
}
