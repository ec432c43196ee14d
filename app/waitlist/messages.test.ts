import { expect, test } from "vitest";
import { SITE } from "../../test/site.ts";
import { toHtml } from "../mail/email-template.server.tsx";
import { toPlainText } from "../mail/plain-text.ts";
import { alreadyOnListMessage, confirmMessage, welcomeMessage } from "./messages.ts";

const member = { email: "ada@example.com", token: "T".repeat(43), referralCode: "abcdefgh23" };

test.each([
  ["confirm", confirmMessage(member, SITE), "confirm"],
  ["already on the list", alreadyOnListMessage(member, SITE), "place"],
  ["welcome", welcomeMessage(member, SITE), "place"],
])("the %s mail leads to its page and out of the list", (_what, message, page) => {
  const leaveUrl = `https://own.example/waitlist/leave?token=${member.token}`;
  expect(message).toMatchObject({ to: "ada@example.com", leaveUrl });
  expect(message.action?.url).toBe(`https://own.example/waitlist/${page}?token=${member.token}`);
  expect(message.footnotes.at(-1)?.link?.url).toBe(leaveUrl);
});

test("the link to share is one in both parts of the welcome, on a line of its own, and has no token", () => {
  const welcome = welcomeMessage(member, SITE);
  const link = "https://own.example/waitlist?ref=abcdefgh23";
  expect(toPlainText(SITE, welcome).split("\n")).toContain(link);
  expect(toHtml(SITE, welcome)).toContain(`<br/><a href="${link}"`);
});
