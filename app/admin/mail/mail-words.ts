import { type MailState, stateOfMail } from "../../mail/mail-state.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import type { StateProps } from "../console-page.tsx";

const STATES: Record<MailState, StateProps> = {
  waiting: { word: "Waiting" },
  failing: { word: "Failing", tone: "bad" },
  given_up: { word: "Given up", tone: "bad" },
  sent: { word: "Sent", tone: "good" },
};

export const stateInWords = (mail: ListedMail) => STATES[stateOfMail(mail)];
