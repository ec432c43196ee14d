import { expect, test } from "vitest";
import { parseForm } from "./params.ts";

test("nested names become nested objects", () => {
  const fields = parseForm(
    "line_items[0][price]=price_1&line_items[0][quantity]=2&mode=subscription&expand[]=a&expand[]=b",
  );
  expect(JSON.parse(JSON.stringify(fields))).toEqual({
    line_items: { 0: { price: "price_1", quantity: "2" } },
    mode: "subscription",
    expand: { 0: "a", 1: "b" },
  });
});

test("__proto__ is a name like any other", () => {
  const fields = parseForm("__proto__[polluted]=yes&metadata[__proto__]=1");
  expect(Object.keys(fields)).toEqual(["__proto__", "metadata"]);
  expect({}).not.toHaveProperty("polluted");
});

test.each(["a=1&a=2", "a=1&a[b]=2", "a[b]=1&a=2", "a[b=1", "[a]=1", "a]b=1", "a[[b]]=1", "a=%00"])(
  "%s is refused",
  (encoded) => {
    expect(() => parseForm(encoded)).toThrow(expect.objectContaining({ status: 400 }));
  },
);
