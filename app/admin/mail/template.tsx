import type { CSSProperties } from "react";
import { data } from "react-router";
import { toPreview } from "../../mail/plain-text.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { ConsolePage, ConsolePart, Facts, NotThere } from "../console-page.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/template.ts";
import { findSample } from "./samples.ts";

export const handle: RouteHandle = { hasFrames: true };

export async function loader(args: Route.LoaderArgs) {
  const { site } = (await requireOperator(args)).config;
  const sample = findSample(args.params.template);
  if (!sample) return data(null, { status: 404 });
  const message = sample.write(site);
  const { to, replyTo, subject } = message;
  return { name: sample.name, when: sample.when, to, replyTo, subject, text: toPreview(site, message) };
}

const TEMPLATES = { href: "/admin/mail/templates", label: "Email templates" };

export default function Template({ loaderData: sample }: Route.ComponentProps) {
  if (!sample) return <NotThere title="Email template" list={TEMPLATES} />;
  const { name, when, to, replyTo, subject, text } = sample;
  return (
    <ConsolePage title={subject} above={TEMPLATES}>
      <Facts
        facts={[
          when && ["Sent", when],
          ["To", to],
          replyTo && ["Replies to", replyTo],
          ["Function", <code key="name">{name}</code>],
        ]}
      />
      <div className="console-parts">
        <ConsolePart id="html" title="HTML">
          <p>
            <PageLink href={`/admin/mail/templates/${name}/html`} target="_blank">
              Open in a new tab
            </PageLink>
          </p>
          {/* Sandboxed: without scripts and navigation. */}
          <iframe
            className="console-mail"
            title={`${subject}, as HTML`}
            src={`/admin/mail/templates/${name}/html`}
            sandbox=""
            style={sizeOf(text)}
          />
        </ConsolePart>
        <ConsolePart id="text" title="Plain text">
          <pre className="console-mail-text">{text}</pre>
        </ConsolePart>
      </div>
    </ConsolePage>
  );
}

/** What the height of the frame is made of: it may run no script that would tell. */
function sizeOf(text: string): CSSProperties & Record<"--lines", number> {
  const [body = ""] = text.split("\n\n-- ");
  const lines = body.split("\n").map(({ length }) => Math.max(1, Math.ceil(length / 54)));
  return { "--lines": lines.reduce((sum, count) => sum + count) };
}
