import { encode } from "uqr";

export type QrPicture = ReturnType<typeof drawQrCode>;

/** With the quiet zone its readers need (ISO/IEC 18004: four modules). @returns its width in modules, and the dark ones as an SVG path */
export function drawQrCode(text: string) {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: path.join("") };
}
