import { encode } from "uqr";

/** The quiet zone around a code, in modules (ISO/IEC 18004). */
const BORDER = 4;

/** A QR code as the path of an SVG whose unit is one of its modules. */
export interface QrCode {
  /** The width and height, in modules. */
  size: number;
  path: string;
}

export function drawQrCode(text: string): QrCode {
  const { size, data } = encode(text, { border: BORDER });
  const rows = data.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join(""));
  return { size, path: rows.join("") };
}
