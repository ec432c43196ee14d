import type { Message } from "../../mail/message.server.tsx";
import type { Site } from "../../site.ts";
import { PROVIDER_NAMES, type Provider } from "./providers.ts";

/** Tells the owner of an account that there is a new way into it. */
export function connectedMessage(email: string, provider: Provider, site: Site): Message {
  const name = PROVIDER_NAMES[provider];
  return {
    to: email,
    subject: `${name} is connected to your ${site.product} account`,
    paragraphs: [
      `From now on you can sign in with ${name}. Everything else works as before.`,
      `If it was not you, disconnect ${name} on your account page, change your password, and sign out everywhere else.`,
    ],
    action: { label: "Open your account", url: `${site.origin}/account` },
    footnotes: [
      {
        text: `You get this because this is the address of your account. Write to ${site.supportEmail} if you need help.`,
      },
    ],
  };
}
