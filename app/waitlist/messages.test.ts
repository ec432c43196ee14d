import { expect, test } from "vitest";
import { SITE } from "../../test/site.ts";
import { NOTHING_OPEN } from "../entitlements/features.ts";
import { toHtml } from "../mail/email-template.server.tsx";
import { toPlainText } from "../mail/plain-text.ts";
import { invitationMessage, welcomeMessage } from "./messages.ts";

const member = { email: "ada@example.com", token: "T".repeat(43), referralCode: "abcdefgh23" };

// Where the links of the other mails lead is tested with the pages (waitlist.site.test.ts, place-token.site.test.ts).
const TERMS = { tier: "premium", durationMonths: 1, expiresAt: new Date("2027-02-01") } as const;

test("an invitation has the code, what it gives and until when, and leads to where it is applied", () => {
  const message = invitationMessage(member, { code: "K7QM-4XFA", ...TERMS }, SITE, NOTHING_OPEN);
  const text = toPlainText(SITE, message).replaceAll(/\s+/g, " ");
  for (const part of [
    "Your code: K7QM-4XFA",
    "a free month of CSV + Banking",
    "until the end of January 31, 2027",
  ])
    expect(text).toContain(part);
  expect(message.action?.url).toBe(
    "https://own.example/register?return_to=%2Fsubscription%3Fpromo%3DK7QM-4XFA",
  );
  expect(message.leaveUrl).toBe(`https://own.example/waitlist/leave?token=${member.token}`);
});

test("an invitation without an end names none", () => {
  const message = invitationMessage(
    member,
    { code: "K7QM", ...TERMS, durationMonths: 3, expiresAt: null },
    SITE,
    NOTHING_OPEN,
  );
  const text = toPlainText(SITE, message).replaceAll(/\s+/g, " ");
  expect(text).toContain("3 free months of CSV + Banking");
  expect(text).toContain("It works once.");
});

test("the link to share is one in both parts of the welcome, on a line of its own, and has no token", () => {
  const welcome = welcomeMessage(member, SITE);
  const link = "https://own.example/waitlist?ref=abcdefgh23";
  expect(toPlainText(SITE, welcome).split("\n")).toContain(link);
  expect(toHtml(SITE, welcome)).toContain(`<br/><a href="${link}"`);
});
