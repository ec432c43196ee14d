/**
 * Draws the icons and the pictures of shared pages into the build: part of `npm run build`. Generated, so that each drawing
 * has one source, with the product's name from the environment (npm loads .env into it).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import satori, { type Font } from "satori";
import { readBrand } from "../app/config/config.server.ts";
import { readPost } from "../app/marketing/blog/posts.ts";
import { PUBLIC_PAGES } from "../app/marketing/pages.ts";
import { headlineOf, SHARE_PICTURE_SIZE, sharePicturePath } from "../app/marketing/seo/share-picture.ts";
import { encodeIco, LABEL_ICON, labelOnPaper } from "./pictures/icons.ts";
import { drawSharePicture } from "./pictures/share.ts";

const OUTPUT = join(import.meta.dirname, "../build/client");
const POSTS = join(import.meta.dirname, "../posts");
const RENDERER = new URL(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"));
const FONTS = new URL("files/", import.meta.resolve("@fontsource/alegreya/package.json"));
const SUBSETS = ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek", "greek-ext", "vietnamese"];

await initWasm(readFileSync(RENDERER));
writeIcons();
await writeSharePictures();

function writeIcons(): void {
  const favicons = [16, 32, 48].map((side) => ({ side, png: toPng(LABEL_ICON, side) }));
  write("icon.svg", LABEL_ICON);
  write("favicon.ico", encodeIco(favicons));
  write("icon-192.png", toPng(LABEL_ICON, 192));
  write("icon-512.png", toPng(LABEL_ICON, 512));
  write("apple-touch-icon.png", toPng(labelOnPaper(0.72), 180));
  // A device may crop all but a circle of four fifths of the side (W3C manifest, "safe zone").
  write("icon-maskable-512.png", toPng(labelOnPaper(0.55), 512));
}

async function writeSharePictures(): Promise<void> {
  const { product, headline } = readBrand(process.env);
  const fonts = readFonts();
  for (const page of [...PUBLIC_PAGES, ...readPosts()]) {
    const { picture } = page;
    const drawing = drawSharePicture(
      { product, headline: picture.headline ?? headlineOf(headline) },
      picture,
    );
    const svg = await satori(drawing, { ...SHARE_PICTURE_SIZE, fonts });
    write(sharePicturePath(page), toPng(svg, SHARE_PICTURE_SIZE.width));
  }
}

function readPosts() {
  const files = readdirSync(POSTS).filter((file) => file.endsWith(".md"));
  return files.map((file) => readPost(file, readFileSync(join(POSTS, file), "utf8")));
}

/** The bank line is always Latin; the name and the tagline may be in any script. */
function readFonts(): Font[] {
  return [readFont("latin", 500), ...SUBSETS.map((subset) => readFont(subset, 700))];
}

function readFont(subset: string, weight: 500 | 700): Font {
  const data = readFileSync(new URL(`alegreya-${subset}-${weight}-normal.woff`, FONTS));
  // A name for each subset, because satori looks for a glyph in one font of each name.
  return { name: subset, weight, data };
}

function toPng(svg: string, width: number): Uint8Array {
  return new Resvg(svg, { fitTo: { mode: "width", value: width } }).render().asPng();
}

function write(path: string, content: string | Uint8Array): void {
  const file = join(OUTPUT, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
}
