import { expect, test } from "vitest";
import { encodeIco, LABEL_ICON, labelOnPaper } from "./icons.ts";

test("the drawing is small enough to be sent with every first visit", () => {
  expect(LABEL_ICON.length).toBeLessThanOrEqual(400);
});

test("on paper the label lies in the middle and takes the share it was given", () => {
  const svg = labelOnPaper(0.5);
  expect(svg).toContain('viewBox="0 0 64 64"');
  expect(svg).toContain('<svg x="16" y="16" width="32" height="32" ');
});

test("an .ico lists each picture with its side, its length and where it begins", () => {
  const images = [
    { side: 16, png: Buffer.from("small") },
    { side: 48, png: Buffer.from("larger one") },
  ];
  const ico = encodeIco(images);
  expect([...ico.subarray(0, 6)]).toEqual([0, 0, 1, 0, 2, 0]);
  for (const [index, { side, png }] of images.entries()) {
    const entry = 6 + index * 16;
    expect([ico[entry], ico[entry + 1]]).toEqual([side, side]);
    const offset = ico.readUInt32LE(entry + 12);
    expect(ico.subarray(offset, offset + ico.readUInt32LE(entry + 8))).toEqual(png);
  }
});
