import { Marked, type Token, type Tokens } from "marked";
import type { Config } from "../../config/config.server.ts";

type Settings = Pick<Config, "site" | "waitlistWidget">;

/** One of our own texts as its page shows it. */
export interface LegalText {
  /** When it last changed, at midnight UTC. */
  updated: Date;
  /** HTML of what stands above the first heading: the text in short. */
  summary: string;
  /** HTML of everything else. */
  body: string;
  /** Its sections in order, and the ids they are reached by. */
  sections: { id: string; title: string }[];
}

/**
 * Renders Markdown of our own. In it `{name}` stands for a setting, and a line with `{?waitlistWidget}` or
 * `{!waitlistWidget}` in it is there only with the third-party waitlist, or only without it.
 *
 * @throws when it does not begin with its date, names a setting there is not, or holds HTML
 */
export function renderLegalText(source: string, { site, waitlistWidget }: Settings): LegalText {
  const [firstLine, updated] = /^updated: (\d{4}-\d\d-\d\d)\n/.exec(source) ?? [];
  if (!firstLine || !updated) throw new Error("a legal text begins with the day of its last change");

  const tokens = marked.lexer(keepLines(source.slice(firstLine.length), waitlistWidget !== null));
  // Settings are filled in after the Markdown was read, so that none can be Markdown or HTML itself.
  marked.walkTokens(tokens, (token) =>
    fillIn(token, {
      product: site.product,
      host: new URL(site.origin).host,
      supportEmail: site.supportEmail,
      community: site.communityUrl,
      store: site.storeUrl,
      waitlistHost: waitlistWidget ? new URL(waitlistWidget.scriptUrl).host : "",
    }),
  );
  const firstHeading = tokens.findIndex(isHeading);
  return {
    updated: new Date(updated),
    summary: marked.parser(tokens.slice(0, firstHeading)),
    body: marked.parser(tokens.slice(firstHeading)),
    sections: tokens.filter(isHeading).map(({ text }) => ({ id: idOf(text), title: text })),
  };
}

function keepLines(markdown: string, hasWidget: boolean): string {
  const unwanted = hasWidget ? "{!waitlistWidget}" : "{?waitlistWidget}";
  const lines = markdown.split("\n").filter((line) => !line.includes(unwanted));
  return lines.join("\n").replaceAll(/\{[?!]waitlistWidget\} /g, "");
}

function fillIn(token: Token, values: Record<string, string>): void {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`a legal text names a setting there is not: ${name}`);
      // The one character marked does not escape where it could begin a character reference.
      return value.replaceAll("&", "&amp;");
    });
  if (token.type === "text" && !token.tokens) token.text = fill(token.text);
  if (token.type === "link") token.href = fill(token.href);
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function idOf(heading: string): string {
  return (
    heading
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.join("-") ?? ""
  );
}

const marked = new Marked({
  renderer: {
    html(): string {
      throw new Error("a legal text holds no HTML");
    },
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
    },
    list({ items }) {
      return `<ul class="label-list">${items.map((item) => this.listitem(item)).join("")}</ul>`;
    },
    /**
     * Every row is about what its label says. Roles, because a phone lays rows out as blocks, and some browsers then
     * forget that they are a table's.
     */
    table({ header, rows }) {
      const text = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
      const head = header.map((cell) => `<th scope="col" role="columnheader">${text(cell)}`).join("");
      const row = ([first, ...others]: Tokens.TableCell[]) =>
        `<tr role="row"><th scope="row" role="rowheader"><span class="label">${first && text(first)}</span>${others.map((cell) => `<td role="cell">${text(cell)}`).join("")}`;
      return `<table role="table"><thead role="rowgroup"><tr role="row">${head}<tbody role="rowgroup">${rows.map(row).join("")}</table>`;
    },
  },
});
