import type { BankLine } from "../../ui/bank-line.ts";
import type { PublicPage } from "../pages.ts";
import { readAmount } from "../try-it/read-amount.ts";

interface Post extends PublicPage {
  /** As `2026-11-26`. */
  day: string;
  shows: BankLine & { label: string };
  /** Markdown. */
  text: string;
}

const HEAD = ["title", "day", "description", "line", "amount", "label"] as const;

/** A line for each of `HEAD`, a blank line, and the text. @throws for a missing or wrong line, so that the build fails */
export function readPost(file: string, source: string): Post {
  const [, slug] = /([a-z0-9-]+)\.md$/.exec(file) ?? [];
  const [head = "", ...paragraphs] = source.replaceAll("\r\n", "\n").split("\n\n");
  const values = new Map(head.split("\n").map((line) => line.split(/:\s+(.*)/s, 2) as [string, string]));
  const [title = "", day = "", description = "", line = "", amount = "", label = ""] = HEAD.map((name) => {
    const value = values.get(name);
    if (!value) throw new Error(`${file} does not begin with its ${name}`);
    return value;
  });
  if (!slug || Number.isNaN(Date.parse(day))) throw new Error(`${file} has no valid name or day`);
  return {
    path: `/blog/${slug}`,
    name: title,
    title,
    description,
    picture: { headline: { text: "From the blog:", label }, shows: { line, amount, label } },
    day,
    shows: { text: line, minorUnits: readAmount(amount), label },
    text: paragraphs.join("\n\n"),
  };
}

export function sortPosts(posts: Post[]): Post[] {
  return posts.toSorted(
    (one, other) => other.day.localeCompare(one.day) || one.path.localeCompare(other.path),
  );
}
