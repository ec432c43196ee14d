const UNITS: [name: string, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** By the largest unit: "3 hours". */
export function formatDuration(seconds: number): string {
  const [name, length] = UNITS.find(([, length]) => seconds >= length) ?? ["second", 1];
  const count = Math.floor(seconds / length);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
