/** One line of a page: text at the left edge, and perhaps at the right one. */
interface PdfLine {
  left: string;
  right?: string;
  bold?: boolean;
}

const PAGE = { width: 595, height: 842, margin: 56, leading: 20, size: 11 };

/**
 * A PDF of plain lines on one page of A4, in the reader's own Helvetica (ISO 32000-1). Characters outside of Latin-1 become
 * question marks; long lines, and those after the 36th, are cut.
 */
export function plainPdf(lines: PdfLine[]): Uint8Array<ArrayBuffer> {
  const stream = lines.slice(0, 36).flatMap(drawLine).join("\n");
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>",
    "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
    font("Helvetica"),
    font("Helvetica-Bold"),
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] ` +
      "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents 6 0 R >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ]);
}

function drawLine({ left, right, bold = false }: PdfLine, at: number): string[] {
  const y = PAGE.height - PAGE.margin - at * PAGE.leading;
  const draw = (text: string, x: number) =>
    `BT /${bold ? "F2" : "F1"} ${PAGE.size} Tf 1 0 0 1 ${x.toFixed(1)} ${y} Tm (${escaped(text)}) Tj ET`;
  const lines = [draw(left.slice(0, 72), PAGE.margin)];
  // Digits are 556 thousandths wide in Helvetica.
  if (right) lines.push(draw(right, PAGE.width - PAGE.margin - right.length * 0.556 * PAGE.size));
  return lines;
}

/** One character per byte, as all of the file. */
function escaped(text: string): string {
  return text.replace(/[^\x20-\xff]/gu, "?").replace(/[\\()]/g, "\\$&");
}

function assemble(objects: string[]): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const [size, start] = [objects.length + 1, file.length];
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Uint8Array.from(file, (character) => character.charCodeAt(0));
}
