import { encode } from "uqr";

export type QrPicture = ReturnType<typeof drawQrCode>;

/** With the quiet zone its readers need (ISO/IEC 18004: four modules). @returns its width in modules, and the dark ones as an SVG path to be drawn one wide */
export function drawQrCode(text: string) {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const path = data.flatMap((row, y) => {
    const runs = row.map(Number).join("").matchAll(/1+/g);
    return [...runs].map(({ 0: { length }, index }) => `M${index} ${y}.5h${length}`);
  });
  return { size, path: path.join("") };
}
