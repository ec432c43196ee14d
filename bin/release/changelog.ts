const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m;

/** What CHANGELOG.md has under "Unreleased", without its heading; `null` when there is no such heading. */
export function readUnreleased(changelog: string): string | null {
  return UNRELEASED.exec(changelog)?.[1]?.trim() ?? null;
}

/** Whether it asks something of an operator, beyond starting the new version. */
export function asksOperator(section: string): boolean {
  return /^### Upgrading\n+- /m.test(section);
}

/** The changelog with what was unreleased under this version, and nothing unreleased. @param day like 2026-11-22 */
export function moveUnreleased(changelog: string, version: string, day: string): string {
  return changelog.replace(UNRELEASED, (_, section: string) => {
    return `## Unreleased\n\n## ${version} - ${day}\n\n${section.trim()}\n\n`;
  });
}
