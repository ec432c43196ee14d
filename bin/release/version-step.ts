type Numbers = [major: number, minor: number, patch: number];

/** The versions that may follow this one (docs/operate.md), smallest step first. */
export function nextVersions(version: string): string[] {
  const [major, minor, patch] = numbersOf(version);
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`];
}

function numbersOf(version: string): Numbers {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  const [major = 0, minor = 0, patch = 0] = numbers.map(Number);
  return [major, minor, patch];
}

/** Whether it is a step of the last number, which is for fixes that ask nothing of an operator. */
export function isPatch(from: string, to: string): boolean {
  return to === nextVersions(from)[0];
}
