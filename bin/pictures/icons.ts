import { COLORS } from "../../app/ui/colors.ts";

/**
 * The site's ornament, `.label` of styles.css, as an icon: a tag with a hole and two written lines. No letter, because the
 * product's name is a setting. The outline shows on light tabs, the yellow on dark ones, and all horizontal and vertical
 * edges are on whole pixels at 16, 32 and 48.
 */
export const LABEL_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="${COLORS.label}" stroke="${COLORS.ink}" stroke-width="2"><path stroke-linejoin="round" d="M11 5h20v22H11L1 16z"/><circle cx="12" cy="16" r="1"/><path d="M18 13h8M18 19h6"/></g></svg>`;

/** The icon on a paper background, for devices that crop icons. @param share of the side that the label takes */
export function labelOnPaper(share: number): string {
  const size = 32 / share;
  const inset = (size - 32) / 2;
  const label = LABEL_ICON.replace("<svg ", `<svg x="${inset}" y="${inset}" width="32" height="32" `);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><path fill="${COLORS.paper}" d="M0 0h${size}v${size}H0z"/>${label}</svg>`;
}

const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;

/**
 * Combines square PNG files into one .ico, in the format's newer form with embedded PNGs.
 *
 * @param images with their sides in pixels, below 256
 */
export function encodeIco(images: { side: number; png: Uint8Array }[]): Buffer {
  const directory = Buffer.alloc(HEADER_BYTES + images.length * ENTRY_BYTES);
  directory.writeUInt16LE(1, 2);
  directory.writeUInt16LE(images.length, 4);
  let offset = directory.length;
  for (const [index, { side, png }] of images.entries()) {
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    directory.writeUInt8(side, entry);
    directory.writeUInt8(side, entry + 1);
    directory.writeUInt16LE(1, entry + 4);
    directory.writeUInt16LE(32, entry + 6);
    directory.writeUInt32LE(png.length, entry + 8);
    directory.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  }
  return Buffer.concat([directory, ...images.map(({ png }) => png)]);
}
