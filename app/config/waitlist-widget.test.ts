import { expect, test } from "vitest";
import { plainOrigin, widgetAttributes, widgetId } from "./waitlist-widget.ts";

test.each([
  ...["*", "https:", "https://*", "https://*.example.com", "https://a.example/path", "https://a.example/"],
  ...["https://a.example;script-src *", "https://a.example 'unsafe-inline'", "https://a.example\r\nX: y"],
  ...[
    "data:",
    "'self'",
    "a.example",
    "https://u@a.example",
    "https://A.example",
    "https://a.example:443",
    "",
  ],
])("%j is no host for a policy", (value) => expect(plainOrigin.safeParse(value).success).toBe(false));

test.each(["https://a.example", "https://a.example:8443", "http://127.0.0.1:3000"])("%s is one", (value) =>
  expect(plainOrigin.parse(value)).toBe(value),
);

test("the element has an id, a class and data, and no attribute that runs or styles anything", () => {
  expect(widgetAttributes.parse("class=a+b&data-list_id=1%262")).toEqual({
    class: "a b",
    "data-list_id": "1&2",
  });
  for (const refused of ["onclick=x", "style=x", "id=x", "dangerouslySetInnerHTML=x", "data-=x", "href=x"])
    expect(widgetAttributes.safeParse(refused).success, refused).toBe(false);
  expect(widgetId.safeParse("getWaitlist-1").success).toBe(true);
  for (const refused of ["", "1", "a b", 'a"b'])
    expect(widgetId.safeParse(refused).success, refused).toBe(false);
});
