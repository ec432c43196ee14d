/**
 * The styles of what a page shows first, so that a browser can paint that before the rest has come (decision 0037): on a slow network
 * all styles together take as long as the whole first screen. The page has the whole sheet as well, after its first screen. As that
 * repeats these rules in their order, what it all amounts to is what the sheet alone amounts to.
 */

interface Rule {
  /** What it applies to, one for each selector of the list: only where all of these names are in the page. `null`: always. */
  needs: string[][] | null;
  text: string;
}

interface Group {
  prelude: string;
  within: (Rule | Group)[];
}

/** At-rules with rules in them that count like those around them. */
const GROUPS = /^@(layer|media|supports|container)\b/;
/** What nothing on a first screen waits for: it comes with the whole sheet. */
const LATER = /^@view-transition\b/;

const sheets = new Map<string, (Rule | Group)[]>();

/**
 * @param css minified, without comments between its rules
 * @param html of the first screen
 * @returns the rules that may apply to something in it, in their order
 */
export function firstStyles(css: string, html: string): string {
  // There are as many as sheets in the build.
  const rules = sheets.get(css) ?? parse(css);
  sheets.set(css, rules);
  return print(rules, namesIn(html));
}

function print(rules: (Rule | Group)[], names: Set<string>): string {
  return rules
    .map((each) => {
      if ("text" in each)
        return !each.needs || each.needs.some((all) => all.every((name) => names.has(name))) ? each.text : "";
      const within = print(each.within, names);
      return within && `${each.prelude}{${within}}`;
    })
    .join("");
}

/** The elements and classes of a page, as `div` and `.class`. */
function namesIn(html: string): Set<string> {
  const names = new Set(["html", "body"]);
  for (const [, element = ""] of html.matchAll(/<([a-z][a-z\d]*)/g)) names.add(element);
  for (const [, classes = ""] of html.matchAll(/\sclass="([^"]*)"/g))
    for (const name of classes.split(" ")) names.add(`.${name.replace(/&gt;/g, ">").replace(/&amp;/g, "&")}`);
  return names;
}

function parse(css: string): (Rule | Group)[] {
  const rules: (Rule | Group)[] = [];
  // A comment at the start is a licence, which the whole sheet has.
  for (let at = css.startsWith("/*") ? css.indexOf("*/") + 2 : 0; at < css.length; ) {
    const end = endOf(css, at);
    const text = css.slice(at, end);
    const open = text.indexOf("{");
    const prelude = text.slice(0, open).trim();
    if (open === -1) rules.push({ needs: null, text });
    else if (GROUPS.test(prelude)) rules.push({ prelude, within: parse(text.slice(open + 1, -1)) });
    else if (!LATER.test(prelude))
      rules.push({ needs: prelude.startsWith("@") ? null : needsOf(prelude), text });
    at = end;
  }
  return rules;
}

/** Where the rule or statement that begins at `start` ends: after its braces or its semicolon. */
function endOf(css: string, start: number): number {
  let depth = 0;
  const marks = /\\.|"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|[{};]/gs;
  marks.lastIndex = start;
  for (let mark = marks.exec(css); mark; mark = marks.exec(css)) {
    if (mark[0] === "{") depth++;
    else if (mark[0] === "}") depth--;
    if ((mark[0] === "}" || mark[0] === ";") && depth === 0) return marks.lastIndex;
  }
  return css.length;
}

/** What is in parentheses or brackets says nothing of what must be there: it may be one of several, or not be there. */
function needsOf(selectors: string): string[][] {
  let plain = selectors;
  for (let before = ""; before !== plain; ) {
    before = plain;
    plain = plain.replace(/(?<!\\)\((?:\\.|[^()\\])*(?<!\\)\)|(?<!\\)\[(?:\\.|[^\]\\])*(?<!\\)\]/g, "");
  }
  return plain.split(/(?<!\\),/).map((selector) => {
    const classes = [...selector.matchAll(/(?<!\\)\.((?:\\.|[\w-])+)/g)].map(
      ([, name = ""]) => `.${name.replace(/\\(.)/g, "$1")}`,
    );
    const elements = [...selector.matchAll(/(?:^|(?<!\\)[\s>+~])([a-z][a-z\d]*)/g)].map(
      ([, name = ""]) => name,
    );
    return [...classes, ...elements];
  });
}
