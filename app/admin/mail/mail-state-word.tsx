import type { MailState } from "../../mail/mail-state.ts";

const WORDS: Record<MailState, { word: string; tone?: "good" | "bad" | "quiet" }> = {
  waiting: { word: "Waiting" },
  failing: { word: "Failing", tone: "bad" },
  given_up: { word: "Given up", tone: "bad" },
  sent: { word: "Sent", tone: "good" },
};

export function MailStateWord({ state }: { state: MailState }) {
  const { word, tone } = WORDS[state];
  return (
    <span className="state" data-tone={tone}>
      {word}
    </span>
  );
}
