import { useEffect, useRef } from "react";

/** Scrolls to the first newly labeled line, where the list is higher than its frame. */
export function useFirstNewInView(labels: readonly (string | null)[]) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef(labels);
  useEffect(() => {
    const first = labels.findIndex((label, index) => label !== null && before.current[index] === null);
    before.current = labels;
    const item = list.current?.children[first];
    if (!list.current || !item || list.current.scrollHeight <= list.current.clientHeight) return;
    list.current.scrollTop += item.getBoundingClientRect().top - list.current.getBoundingClientRect().top;
  }, [labels]);
  return list;
}
