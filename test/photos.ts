import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { asClient } from "./http.ts";
import type { TestServer } from "./server.ts";

/** Submits the form for a photo, as a browser without JavaScript does. Redirects are not followed. */
export function uploadPhoto(
  server: Pick<TestServer, "origin">,
  cookie: string,
  photo: Uint8Array<ArrayBuffer> | string,
  fields: Record<string, string> = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("picture", new File([photo], "me.jpg", { type: "image/jpeg" }));
  return fetch(`${server.origin}/account/photo`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.origin, ...asClient(), cookie },
    body: form,
  });
}

interface PhotoOptions {
  width?: number;
  height?: number;
  /** Of the upper left quarter; the rest is blue. */
  color?: string;
  as?: "jpeg" | "png" | "webp" | "heif";
  /** How the camera was held (EXIF). */
  orientation?: number;
}

/** A photo with a colored quarter, and as a camera would make it: with its place in the file. */
export async function makePhoto(options: PhotoOptions = {}): Promise<Buffer<ArrayBuffer>> {
  const { width = 400, height = 400, color = "#f00", as = "jpeg", orientation = 1 } = options;
  const quarter = { width: Math.ceil(width / 2), height: Math.ceil(height / 2), channels: 3 as const };
  return (await sharp({ create: { width, height, channels: 3, background: "#00f" } })
    .composite([{ input: { create: { ...quarter, background: color } }, left: 0, top: 0 }])
    .withExif({
      IFD0: { Model: "Telltale 3000" },
      IFD3: {
        GPSLatitudeRef: "N",
        GPSLatitude: "51/1 30/1 0/1",
        GPSLongitudeRef: "W",
        GPSLongitude: "0/1 7/1 0/1",
      },
    })
    .withMetadata({ orientation })
    .toFormat(as)
    .toBuffer()) as Buffer<ArrayBuffer>;
}

/** A PNG of one color, written by hand: its size in pixels says nothing about its size in bytes. */
export function makeFlatPng(width: number, height: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit of gray for each pixel.
  header.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))), { level: 9 });
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    signature,
    chunkOf("IHDR", header),
    chunkOf("IDAT", rows),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type), data]);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
