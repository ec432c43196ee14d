/** The first element there is of a kind. @throws when there is none: the page is not the one this was written for */
export function find<T extends Element>(within: ParentNode, selector: string, kind: new () => T): T {
  const element = within.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`no ${selector}`);
}
