/** What stands for `:id` in a path, empty where the pattern has none; null when the path is another. */
export function idIn(path: string, pattern: string): string | null {
  const [segments, known] = [path.split("/"), pattern.split("/")];
  const matches = known.every((part, at) => (part === ":id" ? segments[at] : part === segments[at]));
  return matches && known.length === segments.length ? (segments[known.indexOf(":id")] ?? "") : null;
}
