/** Why a request is answered before any route is asked, in words for the person or the program that sent it. */
export interface Refusal {
  status: 400 | 413 | 414;
  message: string;
}

/** In characters, path and query together. The longest of ours carries a `return_to` of 2,000 that is encoded. */
const LONGEST_TARGET = 8 * 1024;
const MOST_PARAMETERS = 100;

const UNREADABLE: Refusal = { status: 400, message: "This address cannot be read. Check how it is written." };

/** Why no route is asked for this address, or `null`: its length, its number of parameters, or a path that cannot be read. */
export function refuseTarget({ pathname, search }: Pick<URL, "pathname" | "search">): Refusal | null {
  if (pathname.length + search.length > LONGEST_TARGET)
    return { status: 414, message: "This address is longer than any of ours." };
  if (countParts(search) > MOST_PARAMETERS)
    return { status: 400, message: `This address has more than ${MOST_PARAMETERS} parameters.` };
  return isReadable(pathname) ? null : UNREADABLE;
}

/** How many parts `&` separates, without taking them apart. */
function countParts(search: string): number {
  let parts = 1;
  for (let at = search.indexOf("&"); at !== -1; at = search.indexOf("&", at + 1)) parts++;
  return parts;
}

/** Whether a path is UTF-8 without control characters, and has none of the signs that browsers take for another host. */
function isReadable(pathname: string): boolean {
  try {
    return !/[\p{Cc}\\]|\/\//u.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}

/**
 * Finds the one address of a path that differs from it in capitals, a slash at the end, or letters that are encoded for
 * no reason: React Router answers all of them, and whoever looks for a path by its name would miss them.
 *
 * @param patterns the paths of all routes as React Router writes them, `auth/popup/:provider`
 * @returns for a pathname its one spelling when that is another; `null` for that very spelling, and for no path of ours
 */
export function createCanonicalPaths(patterns: readonly string[]): (pathname: string) => string | null {
  const known = patterns.filter((pattern) => !pattern.includes("*")).map((pattern) => pattern.split("/"));
  return (pathname) => {
    // What most requests ask for is spelt as it should be.
    if (!/[A-Z%]|.\/$/.test(pathname)) return null;
    const asked = pathname.replace(/\/$/, "").split("/").slice(1);
    const pattern = known.find((each) => isSpelling(asked, each));
    if (!pattern) return null;
    const path = `/${pattern.map((part, at) => (part.startsWith(":") ? asked[at] : part)).join("/")}`;
    return path === pathname ? null : path;
  };
}

function isSpelling(asked: string[], pattern: string[]): boolean {
  return (
    asked.length === pattern.length &&
    pattern.every((part, at) => {
      const segment = asked[at] ?? "";
      return part.startsWith(":")
        ? segment !== ""
        : decodeURIComponent(segment).toLowerCase() === part.toLowerCase();
    })
  );
}
