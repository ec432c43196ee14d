import type { Message } from "../../mail/message.ts";
import type { Site } from "../../ui/site.ts";

/** Tells the owner of an account that there is a new way into it. @param provider its name */
export function connectedMessage(email: string, provider: string, site: Site): Message {
  return {
    to: email,
    subject: `${provider} is connected to your ${site.product} account`,
    paragraphs: [
      `${provider} can sign you in from now on. Everything else works as before.`,
      "If it was not you, disconnect it on your account page, change your password, and sign out everywhere else.",
    ],
    action: { label: "Open your account", url: `${site.origin}/account` },
    footnotes: [
      {
        text: `You get this because this is the address of your account. Write to ${site.supportEmail} if you need help.`,
      },
    ],
  };
}
