import { useEffect, useRef, useState } from "react";

/** A form's fields as they are now, for words about what it will do. @returns `typed` only once React runs */
export function useTypedForm() {
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<FormData>();
  const read = () => {
    if (form.current) setTyped(new FormData(form.current));
  };
  useEffect(read, []);
  return { typed, watched: { ref: form, onInput: read } };
}
