import { useEffect, useRef } from "react";

/**
 * A form whose fields follow the URL: when it changes they are set to its values, and the focus stays.
 *
 * @returns the ref of the form, whose fields have the URL's values as `defaultValue`
 */
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
