/** A rule with what it needs to match anything, or a group of rules such as `@media`. */
type Part = Rule | { group: string; parts: Part[] };

interface Rule {
  css: string;
  selectors: Selector[];
  /** The custom properties that it sets or registers, if it does nothing else. */
  sets: string[];
}

/** Tags, `.classes`, `#ids` and `[attributes` of one selector: without any of them it matches nothing. */
type Selector = readonly string[];

/** What holds rules of its own. */
const GROUP = /^@(?:layer|media|supports|container)\b/;
/** What is not for a screen. */
const LATER_GROUP = /^@media print$/;
/** What somebody has to do first, and misses nothing without: an opened menu and a focused link are not among it. */
const LATER_STATE = /:(?:active|hover|user-invalid)(?![\w-])/;
/** A string, a comment, an escape or a character that means something to the cut. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\*.*?\*\/|\\.|[{};]/gs;
const PARENTHESES = /(?<!\\)\((?:[^()\\]|\\.)*\)/gs;
const ONLY_SETS = /^(?:@property --|[^{]*\{(?:--[\w-]+:[^;{}"']*;?)+\}$)/;
const SET = /--[\w-]+(?=[:{])/g;
const READ = /(?<=var\()--[\w-]+/g;
const NAME = /(?<kind>[.#[]?)(?<name>(?:[\w-]|[^\0-\x7f]|\\.)+)/gs;
const OPENING_TAG = /<([a-z][\w-]*)((?:\s+[^\s=<>"]+(?:="[^"]*")?)*)\s*\/?>/g;
const ATTRIBUTE = /([^\s=<>"]+)(?:="([^"]*)")?/g;
const REFERENCES: Record<string, string> = {
  "&amp;": "&",
  "&gt;": ">",
  "&lt;": "<",
  "&#x27;": "'",
  "&quot;": '"',
};

/**
 * Cuts a style sheet down to what the beginning of a page can use, so that it can be painted before the browser has read the
 * rest (decision 0072). It keeps too much rather than too little: what a selector says of neighbours, of what it contains or of its
 * place is not asked.
 *
 * @param css nothing but whole rules, as a build writes them
 * @returns gives the rules for a piece of HTML, as React writes it, in the order of the sheet
 */
export function readStyles(css: string): (html: string) => string {
  const parts = readParts(css);
  return (html) => {
    const names = namesIn(html);
    const isUsed = ({ selectors }: Rule) =>
      selectors.some((selector) => selector.every((name) => names.has(name)));
    const read = new Set(keep(parts, isUsed).match(READ));
    return keep(
      parts,
      (rule) => isUsed(rule) && (rule.sets.length === 0 || rule.sets.some((name) => read.has(name))),
    );
  };
}

function keep(parts: readonly Part[], isUsed: (rule: Rule) => boolean): string {
  return parts
    .map((part) => {
      if ("css" in part) return isUsed(part) ? part.css : "";
      const kept = keep(part.parts, isUsed);
      if (kept) return `${part.group}{${kept}}`;
      // A layer has the place of its first mention.
      return part.group.startsWith("@layer") ? `${part.group};` : "";
    })
    .join("");
}

function readParts(css: string): Part[] {
  const parts: Part[] = [];
  let [start, open, depth] = [0, -1, 0];
  for (const { 0: token, index } of css.matchAll(TOKEN)) {
    if (token.startsWith("/*") && depth === 0) start = index + token.length;
    else if (token === "{" && depth++ === 0) open = index;
    else if ((token === "}" && --depth === 0) || (token === ";" && depth === 0)) {
      const end = index + 1;
      const [prelude, isStatement] = [css.slice(start, open).trim(), open < start];
      if (isStatement) parts.push({ css: css.slice(start, end), selectors: [[]], sets: [] });
      else if (!GROUP.test(prelude)) {
        const rule = css.slice(start, end).trim();
        parts.push({
          css: rule,
          selectors: prelude.startsWith("@") ? [[]] : readSelectors(prelude),
          sets: ONLY_SETS.test(rule) ? (rule.match(SET) ?? []) : [],
        });
      } else if (!LATER_GROUP.test(prelude))
        parts.push({ group: prelude, parts: readParts(css.slice(open + 1, index)) });
      start = end;
    }
  }
  return parts;
}

/** @returns those that may match when a page is painted first */
function readSelectors(list: string): Selector[] {
  return splitList(list)
    .map(withoutParentheses)
    .filter((selector) => !LATER_STATE.test(selector))
    .map((selector) => {
      const plain = selector.replace(/(?<!\\)::?[\w-]+/g, "");
      return [...plain.replace(/(?<!\\)[~|^$*]?=(?:"[^"]*"|[^\]]*)(?=\])/g, "").matchAll(NAME)].map(
        ({ groups }) => `${groups?.kind}${groups?.name?.replace(/\\(.)/gs, "$1")}`,
      );
    });
}

function splitList(list: string): string[] {
  let depth = 0;
  const selectors = [""];
  for (const [piece] of list.matchAll(/\\.|[(),[\]]|[^\\(),[\]]+/gs)) {
    if (piece === "," && depth === 0) selectors.push("");
    else selectors[selectors.length - 1] += piece;
    if (piece === "(" || piece === "[") depth++;
    if (piece === ")" || piece === "]") depth--;
  }
  return selectors;
}

function withoutParentheses(selector: string): string {
  const shorter = selector.replace(PARENTHESES, "");
  return shorter === selector ? selector : withoutParentheses(shorter);
}

function namesIn(html: string): Set<string> {
  const names = new Set<string>();
  for (const [, tag = "", attributes = ""] of html.matchAll(OPENING_TAG)) {
    names.add(tag);
    for (const [, attribute = "", text = ""] of attributes.matchAll(ATTRIBUTE)) {
      names.add(`[${attribute.toLowerCase()}`);
      const value = text.replace(/&[#\w]+;/g, (reference) => REFERENCES[reference] ?? reference);
      if (attribute === "class") for (const name of value.split(/\s+/)) names.add(`.${name}`);
      if (attribute === "id") names.add(`#${value}`);
    }
  }
  return names;
}
