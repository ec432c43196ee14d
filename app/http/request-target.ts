export interface Refusal {
  status: 400 | 413 | 414;
  message: string;
}

/** In characters. Our longest has an encoded `return_to` of 2,000. */
const MAX_TARGET_LENGTH = 8 * 1024;
const MAX_PARAMETERS = 100;

const UNREADABLE: Refusal = { status: 400, message: "We can’t read this link. Check it for typos." };

/** @returns `null` when there is nothing to refuse */
export function findTargetRefusal({ pathname, search }: Pick<URL, "pathname" | "search">): Refusal | null {
  if (pathname.length + search.length > MAX_TARGET_LENGTH)
    return { status: 414, message: "This link is too long." };
  if (countParts(search, "&", MAX_PARAMETERS) > MAX_PARAMETERS)
    return { status: 400, message: `This link has more than ${MAX_PARAMETERS} parameters.` };
  return isReadable(pathname) ? null : UNREADABLE;
}

/** Between separators, without parsing them. @param most counting ends beyond it */
export function countParts(text: string | Buffer, separator: string, most: number): number {
  let parts = 1;
  let at = text.indexOf(separator);
  for (; at !== -1 && parts <= most; at = text.indexOf(separator, at + 1)) parts++;
  return parts;
}

/** UTF-8 without control characters, and without `//` and `\`, which browsers may read as a host. */
function isReadable(pathname: string): boolean {
  try {
    return !/[\p{Cc}\\]|\/\//u.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}
