import { expect, test } from "vitest";
import { refundedOf } from "./plan-overview.ts";

test("what went back of a plan is not that of an earlier one", () => {
  const invoices = [
    { subscriptionId: "sub_1", amountRefunded: 4999 },
    { subscriptionId: "sub_2", amountRefunded: 100 },
    { subscriptionId: "sub_2", amountRefunded: 0 },
  ];
  expect(refundedOf({ subscriptionId: "sub_2" }, invoices)).toBe(100);
});
