import { SITE as ANY_SITE } from "../../test/site.ts";
import type { Site } from "../ui/site.ts";
import type { Message } from "./message.ts";

export const SITE: Site = { ...ANY_SITE, product: "Own Words", supportEmail: "support@own.example" };

/** A mail with everything a mail can have. */
export const MESSAGE: Message = {
  to: "ada@example.com",
  subject: "Confirm your place on the waitlist",
  paragraphs: [
    "Somebody, hopefully you, asked for a place on the waitlist with this address. Press the button and it is yours.",
    "Nothing else happens until you do.",
  ],
  action: { label: "Confirm my place", url: "https://own.example/waitlist/confirm?token=abc" },
  footnotes: [
    {
      text: "You get this because your address was entered on own.example.",
      link: { label: "Leave the waitlist", url: "https://own.example/waitlist/leave?token=abc" },
    },
  ],
  leaveUrl: "https://own.example/waitlist/leave?token=abc",
};
