import { Marked, type Token, type Tokens } from "marked";
import type { Config } from "../../config/config.server.ts";
import type { WaitlistWidget } from "../../config/waitlist-widget.ts";
import { NOTHING_OPEN, openness } from "../../entitlements/features.ts";
import { stateOfTheApp } from "../../entitlements/state-of-the-app.ts";
import {
  ACCOUNT_OFFER,
  PRICE_PROMISE,
  REFUND_DAYS,
  REFUND_PROMISE,
  WAITING_PROMISE,
  WAITLIST_OFFER,
} from "../../ui/offer.ts";
import { supportUrl } from "../../ui/site.ts";

type Settings = Pick<Config, "site" | "waitlistWidget" | "tokenSyncUrl" | "backup" | "graceDays">;

/**
 * `{name}` is replaced by a setting or a sentence all pages share; a line with `{?name}` is kept only if the setting is there, with
 * `{!name}` only if it is not.
 * @throws when the text does not begin with its date, names an unknown setting, or contains HTML
 */
export function renderLegalText(
  source: string,
  { site, waitlistWidget, tokenSyncUrl, backup, graceDays }: Settings,
  features = NOTHING_OPEN,
) {
  const [firstLine, updated] = /^updated: (\d{4}-\d\d-\d\d)\n/.exec(source) ?? [];
  if (!firstLine || !updated) throw new Error("a legal text begins with the day of its last change");

  const { company, companyAddress } = site;
  const tokens = marked.lexer(
    filterConditionalLines(source.slice(firstLine.length), {
      waitlistWidget,
      tokenSync: tokenSyncUrl,
      company,
      companyAddress,
      supportEmail: site.supportEmail,
      community: site.communityUrl,
      store: site.storeUrl,
      withdrawal: site.withdrawal || null,
      tax: site.plusTax || null,
      openFeature: openness(features) === "none" ? null : true,
    }),
  );
  // After parsing, so that settings are never read as Markdown or HTML.
  marked.walkTokens(tokens, (token) =>
    fillPlaceholders(token, {
      product: site.product,
      host: new URL(site.origin).host,
      company: company ?? "",
      companyAddress: companyAddress ?? "",
      supportEmail: site.supportEmail ?? "us",
      supportUrl: supportUrl(site),
      backupDays: String(backup.keepDays),
      community: site.communityUrl ?? "",
      store: site.storeUrl ?? "",
      currency: site.currency,
      bankCountries: site.bankCountries,
      waitlistHost: hostsOf(waitlistWidget).join(", "),
      graceDays: String(graceDays),
      pricePromise: PRICE_PROMISE,
      waitingPromise: WAITING_PROMISE,
      refundPromise: REFUND_PROMISE,
      refundDays: String(REFUND_DAYS),
      waitlistOffer: WAITLIST_OFFER,
      accountOffer: ACCOUNT_OFFER,
      stateOfTheApp: stateOfTheApp(features),
    }),
  );
  const firstHeading = tokens.findIndex(isSection);
  return {
    /** Midnight UTC. */
    updated: new Date(updated),
    summary: marked.parser(tokens.slice(0, firstHeading)),
    body: marked.parser(tokens.slice(firstHeading)),
    sections: tokens.filter(isSection).map(({ text }) => ({ id: idOf(text), title: text })),
  };
}

function filterConditionalLines(markdown: string, settings: Record<string, unknown>): string {
  const condition = /\{([?!])(\w+)\} /g;
  const isMet = ([, sign, name = ""]: RegExpExecArray) => {
    if (!(name in settings)) throw new Error(`a legal text depends on a setting there is not: ${name}`);
    return (settings[name] !== null) === (sign === "?");
  };
  const lines = markdown.split("\n").filter((line) => [...line.matchAll(condition)].every(isMet));
  return lines.join("\n").replaceAll(condition, "");
}

function fillPlaceholders(token: Token, values: Record<string, string>): void {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`a legal text names a setting there is not: ${name}`);
      // marked does not escape an ampersand that could begin a character reference.
      return value.replaceAll("&", "&amp;");
    });
  if (token.type === "text" && !token.tokens) token.text = fill(token.text);
  if (token.type === "link")
    token.href = token.href === "mailto:{supportEmail}" ? (values.supportUrl ?? "") : fill(token.href);
}

/** With the headings below them, the list of sections would be too long. */
function isSection(token: Token): token is Tokens.Heading {
  return token.type === "heading" && token.depth < 3;
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
      return `<ul class="list">${items.map((item) => this.listitem(item)).join("")}</ul>`;
    },
  },
});

function hostsOf(widget: WaitlistWidget | null): string[] {
  if (!widget) return [];
  const named = Object.values(widget.hosts ?? {}).flat();
  return [
    ...new Set([widget.scriptUrl, widget.styleUrl ?? [], ...named].flat().map((url) => new URL(url).host)),
  ];
}
