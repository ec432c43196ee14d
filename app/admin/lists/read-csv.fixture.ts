/** Parses a CSV file with this separator. Quotes within an unquoted cell are kept. */
export function readCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let state: "start" | "plain" | "quoted" | "after_quote" = "start";
  const endCell = () => {
    rows.at(-1)?.push(cell);
    cell = "";
    state = "start";
  };
  for (const char of text.replace(/^\ufeff/, "")) {
    if (state === "quoted") {
      if (char === '"') state = "after_quote";
      else cell += char;
    } else if (state === "after_quote" && char === '"') {
      cell += '"';
      state = "quoted";
    } else if (state === "start" && char === '"') state = "quoted";
    else if (char === separator) endCell();
    else if (char === "\n") {
      endCell();
      rows.push([]);
    } else if (char !== "\r") {
      cell += char;
      state = "plain";
    }
  }
  if (cell || rows.at(-1)?.length) endCell();
  return rows.filter((row) => row.length > 0);
}

/** What readers see that know no quotes, or strip them afterwards. */
export function splitCsv(text: string, separator: string): string[] {
  const cells = text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .flatMap((line) => line.split(separator));
  return [...cells, ...cells.map((cell) => cell.replace(/^[" ]+/, ""))];
}
