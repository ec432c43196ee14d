/** Markup in which all text is escaped. */
class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

export type { Html };

type Content = Html | Content[] | string | false | null | undefined;

/** Markup from a template. Text is escaped for element content and quoted attributes; absent values become nothing. */
export function html(strings: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(String.raw({ raw: strings }, ...contents.map(toMarkup)));
}

function toMarkup(content: Content): string {
  if (content instanceof Html) return content.markup;
  if (Array.isArray(content)) return content.map(toMarkup).join("");
  return (content || "").replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
