import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { EXIT_TOO_MANY_PIXELS, EXIT_UNREADABLE, MAX_PIXELS } from "./encoder-exits.ts";

// A program of its own: reads a photo from standard input, and writes it to standard output as a small JPEG. Only the pixels of
// the photo get there: what a camera noted in the file does not, nor what somebody hid in it.

/** In pixels, each way: an avatar of 96 on the sharpest screens. */
const SIDE = 256;
const PAPER = "#fff";

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

const original = await buffer(process.stdin);
try {
  const jpeg = await sharp(original, { limitInputPixels: MAX_PIXELS, failOn: "error" })
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
