import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePage, ConsolePart } from "../console-page.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/templates.ts";
import { SAMPLES } from "./samples.ts";

export async function loader(args: Route.LoaderArgs) {
  const { site } = (await requireOperator(args)).config;
  return Object.entries(SAMPLES).map(([about, samples]) => ({
    about,
    templates: samples.map(({ name, when, write }) => ({ name, when, subject: write(site).subject })),
  }));
}

export default function Templates({ loaderData: groups }: Route.ComponentProps) {
  return (
    <ConsolePage title="Email templates" above={{ href: "/admin/mail", label: "Mail" }}>
      <p className="text-quiet">Every email the site writes, with made-up data.</p>
      <div className="columns-[26rem] gap-8 *:mb-8 *:break-inside-avoid">
        {groups.map(({ about, templates }) => (
          <ConsolePart key={about} id={about.toLowerCase().replaceAll(" ", "-")} title={about}>
            <ul className="grid gap-4">
              {templates.map(({ name, when, subject }) => (
                <li key={name}>
                  <PageLink href={`/admin/mail/templates/${name}`}>{subject}</PageLink>
                  {when && <div className="text-quiet">{when}</div>}
                </li>
              ))}
            </ul>
          </ConsolePart>
        ))}
      </div>
    </ConsolePage>
  );
}
