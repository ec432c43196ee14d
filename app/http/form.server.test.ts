import { expect, test } from "vitest";
import { readForm } from "./form.server.ts";

const send = (body: string, type = "application/x-www-form-urlencoded", list?: string) =>
  readForm(
    new Request("http://own.example", {
      method: "POST",
      headers: { "content-type": type },
      body,
    }),
    list,
  );

test("plain fields arrive, and Conform's own do not", async () => {
  const form = await send("email=a&return_to=%2F&__intent__=x");
  expect([...form.keys()]).toEqual(["email", "return_to"]);
});

test.each(["email[99999999]=x", "a.b=x", "email[]=x", "=x", "a=1&a=2", `${"a".repeat(51)}=x`, "email%00=x"])(
  "%s is no form of ours",
  async (body) => {
    await expect(send(body)).rejects.toMatchObject({ init: { status: 400 } });
  },
);

test("what was ticked in a list is there as often as it was, and nothing else is", async () => {
  const form = await send("selected=1&press=retry&selected=2", undefined, "selected");
  expect(form.getAll("selected")).toEqual(["1", "2"]);
  for (const body of ["selected=1&selected=2&press=a&press=b", "selected[]=1", "other=1&other=2"])
    await expect(send(body, undefined, "selected")).rejects.toMatchObject({ init: { status: 400 } });
});

test("files are not taken, nor anything sent as they are", async () => {
  const body = '--x\r\ncontent-disposition: form-data; name="email"\r\n\r\na\r\n--x--\r\n';
  await expect(send(body, "multipart/form-data; boundary=x")).rejects.toMatchObject({
    init: { status: 400 },
  });
});
