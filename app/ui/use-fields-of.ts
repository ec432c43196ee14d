import { useEffect, useRef } from "react";

/** When the URL changes, the form's fields are set to their `defaultValue`, and the focus stays. */
export function useFieldsOf(address: string) {
  const form = useRef<HTMLFormElement>(null);
  const shown = useRef(address);
  useEffect(() => {
    if (shown.current === address) return;
    shown.current = address;
    form.current?.reset();
  }, [address]);
  return form;
}
