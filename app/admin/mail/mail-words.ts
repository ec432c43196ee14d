import type { MailState } from "../../mail/mails.server.ts";
import type { StateProps } from "../console-page.tsx";

export const MAIL_WORDS: Record<MailState, StateProps> = {
  waiting: { word: "Waiting" },
  failing: { word: "Failing", tone: "bad" },
  given_up: { word: "Could not be delivered", tone: "bad" },
  sent: { word: "Sent", tone: "good" },
};
