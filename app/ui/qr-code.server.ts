import { encode } from "uqr";

/** A QR code as a picture: how many modules it is wide, and the dark ones as the path of an SVG. */
export interface QrPicture {
  size: number;
  path: string;
}

/** Draws a text as a QR code, with the quiet zone its readers need (ISO/IEC 18004: four modules). */
export function drawQrCode(text: string): QrPicture {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: path.join("") };
}
