/**
 * Prints every text people see, by page and state: pages, answers to forms, errors and mails, and at the end the sentences of
 * the source that none of these showed.
 *
 *   npm run words
 */
import startCluster from "../test/cluster.ts";
import { startServer } from "../test/server.ts";
import { readMailbox } from "./words/mailbox.ts";
import { openReader } from "./words/reader.ts";
import { findUnseen } from "./words/unseen.ts";
import { walk } from "./words/walk.ts";

const endCluster = await startCluster();
const server = await startServer();
const reader = await openReader(server.origin);
/** The lines each page has shown, so that its next state prints what is new. */
const shown = new Map<string, Set<string>>();
let printed = "";

try {
  await walk(server, async (state, path, answer) => {
    const { frame, main } = await reader.read(await answer.text());
    print(`\n=== ${state}  (${answer.status} ${path})`, [...fresh("frame", frame), ...fresh(path, main)]);
  });
  for (const { subject, text } of await readMailbox(server))
    print(`\n=== Mail: ${subject}`, text.split("\n"));
} finally {
  await reader.close();
  await server.stop();
  await endCluster();
}
print("\n=== In the source, and in none of the above", findUnseen(printed));

function fresh(page: string, lines: string[]): string[] {
  const before = shown.get(page) ?? new Set();
  const news = lines.filter((line) => !before.has(line));
  shown.set(page, new Set([...before, ...lines]));
  return news;
}

function print(title: string, lines: string[]): void {
  const text = [title, ...lines].join("\n");
  printed += `${text}\n`;
  console.log(text);
}
