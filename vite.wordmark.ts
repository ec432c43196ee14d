import { readFileSync } from "node:fs";
import satori from "satori";
import type { Plugin } from "vite";
import { readBrand } from "./app/config/config.server.ts";

const NAME = "virtual:wordmark";
const FONT = new URL(
  "files/alegreya-latin-700-normal.woff",
  import.meta.resolve("@fontsource/alegreya/package.json"),
);
/** Fine enough for any screen, once coordinates are rounded to whole units. */
const UNITS_PER_EM = 100;
/** From the top of a tall letter to the baseline, as satori sets the font: the same for every name, so that none is drawn larger. */
const [TOP, HEIGHT] = [27, 76];
/** In units. A longer name stays text, which can break into lines. */
const MAX_WIDTH = 9 * HEIGHT;

type Point = [number, number];

/** The product's name as a drawing, for the header. */
interface Wordmark {
  text: string;
  /** `null`: the font lacks a letter of the name, or the name is too long for one line. */
  drawing: { path: string; viewBox: string } | null;
}

/**
 * Draws the product's name as a path, so that the logo looks the same whatever fonts a visitor has. Importing
 * `virtual:wordmark` gives a `Wordmark` of the name in the environment of the build.
 */
export function wordmark(): Plugin {
  return {
    name: "wordmark",
    resolveId: (source) => (source === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id === `\0${NAME}`) return `export default ${JSON.stringify(await drawWordmark())}`;
    },
  };
}

async function drawWordmark(): Promise<Wordmark> {
  const { product: text } = readBrand(process.env);
  let isComplete = true;
  const style = { fontFamily: "wordmark", fontSize: UNITS_PER_EM, fontWeight: 700 };
  const svg = await satori(
    { type: "div", props: { style, children: text }, key: null },
    {
      width: text.length * UNITS_PER_EM,
      height: 2 * UNITS_PER_EM,
      fonts: [{ name: "wordmark", data: readFileSync(FONT), weight: 700 }],
      loadAdditionalAsset: async () => {
        isComplete = false;
        return [];
      },
    },
  );
  const drawn = /<path [^>]*\bd="([^"]+)"/.exec(svg)?.[1];
  return { text, drawing: isComplete && drawn ? shorten(drawn) : null };
}

/**
 * A path in relative whole units without the segments that lead nowhere: a third of the bytes. Each outline is rounded from where it
 * starts, so that a letter is the same every time and compresses to nothing the second time.
 */
function shorten(path: string): Wordmark["drawing"] {
  let pen: Point = [0, 0];
  let start = pen;
  let exactStart = pen;
  const [left, right] = sidesOf(path);
  if (right - left > MAX_WIDTH) return null;
  const commands = [...path.matchAll(/([MLQC])([^A-Z]*)|Z/g)].map(([, letter, list = ""]) => {
    if (!letter) {
      pen = start;
      return "z";
    }
    const exact = list.trim().split(/[ ,]+/).map(Number);
    if (letter === "M") {
      exactStart = lastPoint(exact, pen);
      start = [Math.round(exactStart[0]), Math.round(exactStart[1])];
    }
    const axis = (index: number) => (index % 2 === 0 ? 0 : 1);
    const values = exact.map(
      (value, index) => start[axis(index)] + Math.round(value - exactStart[axis(index)]),
    );
    const relative = values.map((value, index) => value - pen[axis(index)]);
    pen = lastPoint(values, pen);
    if (letter !== "M" && relative.every((value) => value === 0)) return "";
    return letter.toLowerCase() + join(relative);
  });
  return { path: commands.join(""), viewBox: `${left} ${TOP} ${right - left} ${HEIGHT}` };
}

function lastPoint(values: number[], otherwise: Point): Point {
  return [values.at(-2) ?? otherwise[0], values.at(-1) ?? otherwise[1]];
}

/** The left and the right end of all points. */
function sidesOf(path: string): [number, number] {
  const values = (path.match(/-?[\d.]+/g) ?? []).map((value) => Math.round(Number(value)));
  const xs = values.filter((_, index) => index % 2 === 0);
  return [Math.min(...xs), Math.max(...xs)];
}

function join(values: number[]): string {
  return values.join(" ").replaceAll(" -", "-");
}
