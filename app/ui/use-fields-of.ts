import { useEffect, useRef } from "react";

/**
 * A form whose fields follow an address: when another one is shown they are set to what it says, and the focus stays where it is.
 *
 * @returns the ref of the form, whose fields have what the address says as `defaultValue`
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
