/** One line of a page: text at the left edge, and perhaps at the right one. */
interface PdfLine {
  left: string;
  right?: string;
  bold?: boolean;
}

const PAGE = { width: 595, height: 842, margin: 56, leading: 20, size: 11 };
const LINES_PER_PAGE = Math.floor((PAGE.height - 2 * PAGE.margin) / PAGE.leading);

/**
 * A PDF of plain lines on A4, in the reader's own Helvetica: ISO 32000-1, which every reader can show. Characters outside
 * of Windows-1252 become question marks; long text is cut.
 */
export function plainPdf(title: string, lines: PdfLine[]): Uint8Array {
  const pages: PdfLine[][] = [];
  for (let at = 0; at < Math.max(lines.length, 1); at += LINES_PER_PAGE) {
    pages.push(lines.slice(at, at + LINES_PER_PAGE));
  }
  const pageNumbers = pages.map((_, at) => 6 + at * 2);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>",
    `<< /Type /Pages /Kids [${pageNumbers.map((number) => `${number} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    `<< /Title (${escaped(title)}) /Producer (Payment sandbox) >>`,
    ...pages.flatMap((page, at) => [pageObject((pageNumbers[at] ?? 0) + 1), streamObject(page)]),
  ];
  return assemble(objects);
}

function pageObject(contents: number): string {
  return [
    "<< /Type /Page /Parent 2 0 R",
    `/MediaBox [0 0 ${PAGE.width} ${PAGE.height}]`,
    "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>",
    `/Contents ${contents} 0 R >>`,
  ].join(" ");
}

function streamObject(lines: PdfLine[]): string {
  const content = lines.flatMap((line, at) => drawLine(line, PAGE.height - PAGE.margin - at * PAGE.leading));
  const stream = content.join("\n");
  return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
}

function drawLine({ left, right, bold = false }: PdfLine, y: number): string[] {
  const text = (shown: string, x: number) =>
    `BT /${bold ? "F2" : "F1"} ${PAGE.size} Tf 1 0 0 1 ${x.toFixed(1)} ${y} Tm (${escaped(shown)}) Tj ET`;
  const lines = [text(left.slice(0, 72), PAGE.margin)];
  if (right) lines.push(text(right, PAGE.width - PAGE.margin - widthOf(right)));
  return lines;
}

/** Roughly, in points: digits, which amounts are made of, are 556 thousandths wide in Helvetica. */
function widthOf(text: string): number {
  const thousandths = Array.from(text, (character) => (/[.,:;' ]/.test(character) ? 278 : 556));
  return (thousandths.reduce((sum, width) => sum + width, 0) * PAGE.size) / 1000;
}

/** What Windows-1252 has beyond Latin-1, as far as prices and names need it. */
const WINDOWS_1252 = new Map([
  ["€", 0x80],
  ["…", 0x85],
  ["‘", 0x91],
  ["’", 0x92],
  ["“", 0x93],
  ["”", 0x94],
  ["•", 0x95],
  ["–", 0x96],
  ["—", 0x97],
]);

/** One character per byte, as all of the file. */
function escaped(text: string): string {
  const bytes = Array.from(text, (character) => {
    const code = WINDOWS_1252.get(character) ?? character.charCodeAt(0);
    return character.length === 1 && code >= 0x20 && code <= 0xff ? String.fromCharCode(code) : "?";
  });
  return bytes.join("").replace(/[\\()]/g, "\\$&");
}

function assemble(objects: string[]): Uint8Array {
  let file = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const start = file.length;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Uint8Array.from(file, (character) => character.charCodeAt(0));
}
