import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { EXIT_TOO_MANY_PIXELS, EXIT_UNREADABLE } from "./encoder-exits.ts";

// A program of its own: reads a photo from standard input, and writes it to standard output as a small JPEG. Only the pixels of
// the photo get there: what a camera noted in the file does not, nor what somebody hid in it.

/** In pixels, each way: an avatar of 96 on the sharpest screens. */
const SIDE = 256;
const PAPER = "#fff";
/** As many as the best phones take at once. They are shrunk while they are read. */
const MAX_PIXELS = 50_000_000;
/** Of a photo that is decoded as a whole first, with up to 12 bytes for each pixel. */
const MAX_WHOLE_PIXELS = 16_000_000;

// What others wait for comes first; and if memory runs out, it is taken from here. Some systems allow neither.
for (const stepBack of [
  () => setPriority(constants.priority.PRIORITY_BELOW_NORMAL),
  () => writeFileSync("/proc/self/oom_score_adj", "1000"),
])
  try {
    stepBack();
  } catch {}

sharp.concurrency(1);
sharp.cache(false);
// None of libvips' many other formats is even looked at.
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
