import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const APP = join(import.meta.dirname, "../../app");
/** A string that looks like a sentence or a label, or text between tags; `${…}` and `{…}` end a piece. */
const PIECES = /"([A-Z][^"\n]*)"|[`}]([A-Z][^`$\n]*)(?=[`$])|>\s*([A-Z][^<>{}]*?)\s*(?=[<{])/g;

/** The sentences of the source that a text does not contain, by file: messages that are hard to bring about. */
export function findUnseen(text: string): string[] {
  const seen = plain(text);
  return globSync("**/*.{ts,tsx}", {
    cwd: APP,
    exclude: ["**/*.{test,fixture}.ts", "{config,db,log,outbox}/**"],
  })
    .toSorted()
    .flatMap((file) => {
      const source = readFileSync(join(APP, file), "utf8").replace(/^\s*(\/?\*|\/\/).*$/gm, "");
      const pieces = [...source.matchAll(PIECES)].map((found) =>
        plain(found[1] ?? found[2] ?? found[3] ?? ""),
      );
      const unseen = new Set(pieces.filter((piece) => isSentence(piece) && !seen.includes(piece)));
      return unseen.size > 0 ? [`${file}:`, ...[...unseen].map((piece) => `  ${piece}`)] : [];
    });
}

/** Three words or more, and neither code nor SQL nor a drawing. */
function isSentence(piece: string): boolean {
  return piece.split(" ").length > 2 && !/[;=]|\(\)|\\|SELECT|^M\d/.test(piece);
}

function plain(text: string): string {
  return text
    .replaceAll("&apos;", "'")
    .replace(/[_[\]#*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
