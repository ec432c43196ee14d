import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { mainOf, postForm } from "../../test/http.ts";
import { countMails, linkIn, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createMembers } from "./members.fixture.ts";

const server = sharedServer();

const newAddress = () => `${randomUUID()}@example.com`;

const join = (email: string, more: Record<string, string> = {}) =>
  postForm(server, "/waitlist", { email, ...more });

// That they take the same time is measured by `npm run soak -- answer-times`.
test("a new address, one that waits and one that is confirmed get the same answer", async () => {
  const [waiting] = await createMembers(server.pool, 1, false);
  const [confirmed] = await createMembers(server.pool, 1, true);
  if (!waiting || !confirmed) throw new Error("two addresses were added");
  const answers = new Set<string>();
  for (const email of [newAddress(), waiting.email, confirmed.email]) {
    const response = await join(email);
    // How well what was typed compresses says nothing else about it.
    const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "content-length");
    answers.add(
      JSON.stringify([response.status, headers, await response.text()])
        .replaceAll(email, "ADDRESS")
        .replaceAll(email.toUpperCase(), "ADDRESS"),
    );
  }
  expect(answers.size).toBe(1);
  expect((await mailTo(server, waiting.email, /^Confirm your place/)).subject).toBeTruthy();
  expect((await mailTo(server, confirmed.email, /^You’re already on/)).text).toContain(confirmed.token);
});

test("past the day's mails the answer is still the same", async () => {
  const email = newAddress();
  const answers: string[] = [];
  const written = await countMails(server, async () => {
    for (let time = 0; time < 6; time++) answers.push((await join(email)).headers.get("location") ?? "");
  });
  expect(new Set(answers).size).toBe(1);
  expect(written).toBe(4);
});

test("a mail program unsubscribes with one POST, without cookie and Origin (RFC 8058); twice is no harm", async () => {
  const email = newAddress();
  await join(email);
  const leave = linkIn(await mailTo(server, email, /^Confirm/), "/waitlist/leave");
  const unsubscribe = () =>
    fetch(server.origin + leave, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
  const [first, second] = [await unsubscribe(), await unsubscribe()];
  expect([first.status, second.status]).toEqual([200, 200]);
  const text = await first.text();
  expect(text).toContain("Your email address is deleted");
  expect(await second.text()).toBe(text);
  expect((await server.pool.query("SELECT FROM waitlist WHERE email = $1", [email])).rowCount).toBe(0);
});

test("GET changes nothing, and the pages of a token are only for its owner", async () => {
  const [waiting] = await createMembers(server.pool, 1, false);
  const [confirmed] = await createMembers(server.pool, 1, true);
  const before = await rows();
  for (const path of [
    `/waitlist/confirm?token=${waiting?.token}`,
    `/waitlist/leave?token=${waiting?.token}`,
    `/waitlist/place?token=${confirmed?.token}`,
    `/waitlist/leave?token=${confirmed?.token}`,
  ]) {
    const response = await fetch(server.origin + path, { redirect: "manual" });
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("referrer-policy")).toBe("same-origin");
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(await response.text()).toContain('<meta name="robots" content="noindex"/>');
  }
  expect(await rows()).toEqual(before);

  async function rows() {
    return (await server.pool.query("SELECT * FROM waitlist ORDER BY id")).rows;
  }
});

test("pages send to one another what belongs there", async () => {
  const [waiting] = await createMembers(server.pool, 1, false);
  const [confirmed] = await createMembers(server.pool, 1, true);
  const go = async (path: string) => {
    const response = await fetch(server.origin + path, { redirect: "manual" });
    return [response.status, response.headers.get("location")];
  };
  expect(await go(`/waitlist/place?token=${waiting?.token}`)).toEqual([
    302,
    `/waitlist/confirm?token=${waiting?.token}`,
  ]);
  expect(await go(`/waitlist/confirm?token=${confirmed?.token}`)).toEqual([
    302,
    `/waitlist/place?token=${confirmed?.token}`,
  ]);
  const again = await postForm(server, `/waitlist/confirm?token=${confirmed?.token}`, {});
  expect([again.status, again.headers.get("location")]).toEqual([
    303,
    `/waitlist/place?token=${confirmed?.token}`,
  ]);
});

test.each([
  ["none", "", 404],
  ["an unknown one", `?token=${"A".repeat(43)}`, 404],
  ["a short one", "?token=abc", 404],
  ["NUL", `?token=${"%00".repeat(43)}`, 404],
  ["no UTF-8", "?token=%FF%FE", 404],
])("a token that is %s leads to a page that says what to do", async (_what, query, status) => {
  for (const page of ["confirm", "place"]) {
    for (const method of page === "confirm" ? ["GET", "POST"] : ["GET"]) {
      const response = await fetch(`${server.origin}/waitlist/${page}${query}`, {
        method,
        headers: { origin: server.origin, "content-type": "application/x-www-form-urlencoded" },
      });
      expect([page, method, response.status]).toEqual([page, method, status]);
      expect(await mainOf(response)).toContain("This waitlist link no longer works");
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
  }
});

test("a place whose seven days are over is gone, and its link says so", async () => {
  const [late] = await createMembers(server.pool, 1, false);
  await server.pool.query("UPDATE waitlist SET confirm_by = now() WHERE email = $1", [late?.email]);
  const page = await fetch(`${server.origin}/waitlist/confirm?token=${late?.token}`);
  expect([page.status, await mainOf(page)]).toEqual([410, expect.stringContaining("Join Waitlist")]);
  const pressed = await postForm(server, `/waitlist/confirm?token=${late?.token}`, {});
  expect(pressed.status).toBe(410);
  await server.pool.query("DELETE FROM waitlist WHERE email = $1", [late?.email]);
});

test.each([
  ["nothing", {}, "Enter your email address"],
  ["no address", { email: "ada" }, "Enter an email address like name@example.com"],
  ["NUL in the address", { email: "a\u0000da@example.com" }, "Enter an email address like"],
  ["two addresses", { email: "a@example.com,b@example.com" }, "Enter an email address like"],
  ["a line break in the address", { email: "a@example.com\r\nBcc: b@example.com" }, "Enter an email"],
  ["an endless address", { email: `${"a".repeat(300)}@example.com` }, "at most 254 characters"],
  ["NUL in the name", { email: "a@example.com", name: "A\u0000" }, "Some characters here can’t be saved"],
  ["an endless name", { email: "a@example.com", name: "a".repeat(101) }, "Use 100 characters or fewer"],
  [
    "NUL in what they use",
    { email: "a@example.com", uses_today: "\u0000" },
    "Some characters here can’t be saved",
  ],
  ["what only the form library sends", { __intent__: "x", __state__: "x" }, "Enter your email address"],
  ["a novel", { email: "a@example.com", uses_today: "a".repeat(60_000) }, "Use at most 200 characters"],
])(
  "%s is refused with a reason, and what was typed is kept",
  async (_what, fields: Record<string, string>, reason) => {
    const response = await postForm(server, "/waitlist", fields);
    expect(response.status).toBe(400);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await mainOf(response);
    expect(text).toContain(reason);
    for (const typed of [fields.name, fields.email]) {
      // Control characters do not come back from HTML as they went.
      if (typed && /^[\w@.]+$/.test(typed)) expect(text).toContain(`value="${typed}"`);
    }
  },
);

test("bytes that are no UTF-8, blank extras and a wrong code do not keep anybody off the list", async () => {
  const email = newAddress();
  const response = await fetch(`${server.origin}/waitlist`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.origin, "content-type": "application/x-www-form-urlencoded" },
    body: `email=${email}&name=%20%20&uses_today=%FF%FE&ref=%00`,
  });
  expect(response.status).toBe(303);
  const { rows } = await server.pool.query("SELECT name, uses_today FROM waitlist WHERE email = $1", [email]);
  expect(rows).toEqual([{ name: null, uses_today: "\uFFFD\uFFFD" }]);
  expect((await join(email, { name: "a".repeat(70_000) })).status).toBe(413);
});

test("an address that could not be saved is said to be so, and kept in its field", async () => {
  await server.pool.query("ALTER TABLE waitlist RENAME TO away");
  const response = await join("ada@example.com");
  await server.pool.query("ALTER TABLE away RENAME TO waitlist");
  expect(response.status).toBe(503);
  const text = await mainOf(response);
  expect(text).toContain("We couldn’t save your email address");
  expect(text).toContain('value="ada@example.com"');
});

test("a press that fails on our side leaves a whole page, with a number and the way to support", async () => {
  const [place] = await createMembers(server.pool, 1, false);
  await server.pool.query("ALTER TABLE waitlist RENAME TO away");
  const response = await postForm(server, `/waitlist/confirm?token=${place?.token}`, {});
  await server.pool.query("ALTER TABLE away RENAME TO waitlist");
  expect(response.status).toBe(500);
  const page = await response.text();
  for (const part of ["<header", "<footer", "mailto:support@ownwords.example", "quote this number"])
    expect(page).toContain(part);
  expect(page).not.toContain("<script src");
  // A link would not send the form again.
  expect(page).not.toContain("Try again</a>");
});

test.each(["null", "https://mail.example"])(
  "one press in a mail program is enough, whatever origin it names: %s",
  async (origin) => {
    const [place] = await createMembers(server.pool, 1, true);
    const response = await fetch(`${server.origin}/waitlist/leave?token=${place?.token}`, {
      method: "POST",
      headers: { origin, "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect(response.status).toBe(200);
    expect((await server.pool.query("SELECT FROM waitlist WHERE id = $1", [place?.id])).rowCount).toBe(0);
  },
);

test("only what can be a friend's code is taken for one", async () => {
  const page = async (ref: string) => (await fetch(`${server.origin}/waitlist?ref=${ref}`)).text();
  expect(await page("abcdefgh23")).toContain("A friend invited you");
  expect(await page("garbage%20%3Cb%3E")).not.toContain("A friend invited you");
});
