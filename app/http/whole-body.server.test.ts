import { expect, test } from "vitest";
import { wholeBodyOf, wholeResponse, withWholeBody } from "./whole-body.server.ts";

const page = (text: string) => wholeResponse(Buffer.from(text), { status: 201, headers: { ETag: '"1"' } });

test("a response at hand as a whole is read like any other, again and again, and no stream is made of it", async () => {
  const response = page("whole");
  expect(response.body).toBeNull();
  expect(await response.text()).toBe("whole");
  expect(Buffer.from(await response.arrayBuffer()).toString()).toBe("whole");
  expect(wholeBodyOf(response)?.toString()).toBe("whole");
  const copy = response.clone();
  expect([copy.status, copy.headers.get("etag"), await copy.text()]).toEqual([201, '"1"', "whole"]);
});

test("it is sent with another body as the same response; any other becomes a new one", async () => {
  const response = page("plain");
  const kept = response.clone();
  expect(withWholeBody(response, Buffer.from("encoded"))).toBe(response);
  expect(await response.text()).toBe("encoded");
  // What the body was before is not written over.
  expect(await kept.text()).toBe("plain");
  const changed = withWholeBody(new Response("streamed", { status: 404 }), Buffer.from("whole"));
  expect([changed.status, await changed.text()]).toEqual([404, "whole"]);
});

test("a response without a whole body has none", () => {
  expect(wholeBodyOf(new Response("streamed"))).toBeUndefined();
});
