import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { EXIT_TOO_MANY_PIXELS, EXIT_UNREADABLE } from "./encoder-exits.ts";

// A program of its own: reads a photo from standard input and writes a small JPEG to standard output, with nothing but its pixels.

/** In pixels: enough for 96 CSS pixels on the sharpest screens. */
const SIDE = 256;
const PAPER = "#fff";
/** As the best phones make. Baseline JPEGs are shrunk while they are read. */
const MAX_PIXELS = 50_000_000;
/** For formats that are decoded whole, with up to 12 bytes a pixel. */
const MAX_WHOLE_PIXELS = 16_000_000;

// Requests come first, and when memory runs out, this process is killed. Some systems allow neither.
for (const stepBack of [
  () => setPriority(constants.priority.PRIORITY_BELOW_NORMAL),
  () => writeFileSync("/proc/self/oom_score_adj", "1000"),
])
  try {
    stepBack();
  } catch {}

sharp.concurrency(1);
sharp.cache(false);
// libvips does not try its many other formats.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });

const original = sharp(await buffer(process.stdin), { limitInputPixels: MAX_PIXELS, failOn: "error" });
try {
  const { width, height, format, isProgressive } = await original.metadata();
  if ((isProgressive || format === "webp") && width * height > MAX_WHOLE_PIXELS)
    throw new Error("a pixel limit, of photos that are decoded as a whole");
  const jpeg = await original
    .autoOrient()
    .resize(SIDE, SIDE, { fit: "cover" })
    .flatten({ background: PAPER })
    .toColourspace("srgb")
    .jpeg({ quality: 82 })
    .toBuffer();
  process.stdout.write(jpeg);
} catch (error) {
  console.error(error);
  process.exitCode = /pixel limit/.test(String(error)) ? EXIT_TOO_MANY_PIXELS : EXIT_UNREADABLE;
}
