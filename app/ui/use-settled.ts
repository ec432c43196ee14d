import { useEffect, useState } from "react";

/** The sentences once unchanged for some time, so that not every key is announced. */
export function useSettled(sentences: string[], milliseconds: number): string[] {
  const [settled, setSettled] = useState(sentences);
  const text = sentences.join("\n");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.split("\n")), milliseconds);
    return () => clearTimeout(timer);
  }, [text, milliseconds]);
  return settled;
}
