/** A line of text, and perhaps an amount at its end. */
export type PdfLine = [text: string, amount?: string];

/** Characters in a line of A4, in Courier of 10 points. */
const WIDTH = 80;

/**
 * A PDF of plain lines on one page of A4, in the reader's own Courier (ISO 32000-1). Characters outside of Latin-1 become
 * question marks; long lines, and those after the 50th, are cut.
 */
export function plainPdf(lines: PdfLine[]): Uint8Array<ArrayBuffer> {
  const drawn = lines.slice(0, 50).map(([text, amount = ""]) => {
    const line = text.slice(0, WIDTH - amount.length).padEnd(WIDTH - amount.length) + amount;
    return `(${line.replace(/[^\x20-\xff]/gu, "?").replace(/[\\()]/g, "\\$&")}) '`;
  });
  const stream = `BT /F1 10 Tf 15 TL 56 800 Td ${drawn.join("\n")} ET`;
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ]);
}

function assemble(objects: string[]): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const [size, start] = [objects.length + 1, file.length];
  file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  file += `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Uint8Array.from(file, (character) => character.charCodeAt(0));
}
