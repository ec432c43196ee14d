import { type MailState, stateOfMail } from "../../mail/mail-state.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import type { StateProps } from "../console-page.tsx";

export const MAIL_WORDS: Record<MailState, StateProps> = {
  waiting: { word: "Waiting" },
  failing: { word: "Failing", tone: "bad" },
  given_up: { word: "Could not be delivered", tone: "bad" },
  sent: { word: "Sent", tone: "good" },
};

export const stateInWords = (mail: ListedMail) => MAIL_WORDS[stateOfMail(mail)];
