import type { StateProps } from "../console-page.tsx";

export const STATES = {
  unconfirmed: { word: "Not confirmed", tone: "quiet" },
  waiting: { word: "Waiting" },
  picked: { word: "Being invited" },
  invited: { word: "Invited", tone: "good" },
  redeemed: { word: "Code used", tone: "good" },
} satisfies Record<string, StateProps>;

export type MemberState = keyof typeof STATES;
