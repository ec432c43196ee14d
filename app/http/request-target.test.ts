import { expect, test } from "vitest";
import { findTargetRefusal } from "./request-target.ts";

const refused = (target: string) => findTargetRefusal(new URL(`http://own.example${target}`));

test.each([
  ...[
    "/%",
    "/%zz",
    "/%ff",
    "/%c0%af",
    "/%ED%A0%80",
    "/%09/",
    "/%09/%00",
    "/%0d%0aSet-Cookie:a=b",
    "/%7f",
    "/%c2%85",
  ],
  ...["//evil.example", "/faq//", "/\\evil.example", "/%5Cevil.example", "/%2F%2Fevil.example"],
])("%s cannot be read", (target) => expect(refused(target)?.status).toBe(400));

test.each(["/", "/faq", "/caf%C3%A9", "/%F0%9F%92%B8", "/faq?a=%00&b=%ff", "/v1/accounts:update"])(
  "%s can",
  (target) => expect(refused(target)).toBeNull(),
);

test("an address has an end, and so have its parameters", () => {
  expect(refused(`/faq?a=${"x".repeat(8000)}`)).toBeNull();
  expect(refused(`/faq?a=${"x".repeat(9000)}`)?.status).toBe(414);
  expect(refused(`/faq?${"a&".repeat(99)}`)).toBeNull();
  expect(refused(`/faq?${"a&".repeat(100)}`)?.status).toBe(400);
});
