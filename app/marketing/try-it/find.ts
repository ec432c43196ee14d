/** The first element that matches. @throws when there is none, or it is of another kind */
export function find<T extends Element>(within: ParentNode, selector: string, kind: new () => T): T {
  const element = within.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`no ${selector}`);
}
