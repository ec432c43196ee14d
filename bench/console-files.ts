/** What came of a file that was downloaded. */
export interface Download {
  rows: number;
  /** Of the first column, which says where a row stands. */
  different: number;
  milliseconds: number;
}

/**
 * Downloads a list as CSV. Broken off in its middle, it is gone on with from the last whole row, as an operator does.
 *
 * @param breakAfter bytes after which the download breaks off; `null`: it does not
 */
export async function download(
  origin: string,
  path: string,
  cookie: string,
  breakAfter: number | null,
): Promise<Download> {
  const begun = performance.now();
  const positions = new Set<string>();
  let rows = 0;
  const count = (position: string) => {
    rows++;
    positions.add(position);
  };
  const last = await read(origin + path, cookie, breakAfter, true, count);
  if (breakAfter !== null && last) {
    const url = new URL(path, origin);
    url.searchParams.set("after", last);
    await read(url.href, cookie, null, false, count);
  }
  return { rows, different: positions.size, milliseconds: performance.now() - begun };
}

/** @returns the position of the last whole row */
async function read(
  url: string,
  cookie: string,
  breakAfter: number | null,
  hasHeader: boolean,
  count: (position: string) => void,
): Promise<string | null> {
  const breaking = new AbortController();
  const answer = await fetch(url, { headers: { cookie }, signal: breaking.signal });
  if (!answer.ok || !answer.body) throw new Error(`${url} is answered with ${answer.status}`);
  let [bytes, rest, last, isHeader] = [0, "", null as string | null, hasHeader];
  const decoder = new TextDecoder();
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const position = line.slice(0, line.indexOf(","));
      if (!isHeader) count(position);
      if (!isHeader) last = position;
      isHeader = false;
    }
    if (breakAfter !== null && bytes > breakAfter) break;
  }
  breaking.abort();
  return last;
}
