import { expect, test } from "vitest";
import { cookieOf, mainOf, postForm } from "../../test/http.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, get, PASSWORD, type Person } from "../../test/users.ts";
import { keepLink } from "../categories/carried.ts";

const server = sharedServer();

const PATH = "/dashboard/categories";

const COFFEE = { category_1: "Too much coffee", keywords_1: "cafe\r\ncoffee" };

const save = (person: Person, fields: Record<string, string>) =>
  postForm(server, PATH, fields, person.cookie);

async function savedOf({ id }: Pick<Person, "id">) {
  const { rows } = await server.pool.query(
    "SELECT categories, revision FROM saved_categories WHERE user_id = $1",
    [id],
  );
  return rows[0] ?? null;
}

const textOf = async (path: string, { cookie }: Pick<Person, "cookie">) =>
  mainOf(await get(server, path, cookie));

test("signed out, the page leads to /login and back; with words that came along, to /register and back", async () => {
  const withWords = `${PATH}?category=Coffee&keywords=cafe`;
  for (const [answer, leadsTo] of [
    [await get(server, PATH), `/login?${new URLSearchParams({ return_to: PATH })}`],
    [await get(server, withWords), `/register?${new URLSearchParams({ return_to: withWords })}`],
    [await postForm(server, withWords, COFFEE), `/login?${new URLSearchParams({ return_to: withWords })}`],
  ] as const)
    expect([answer.status, answer.headers.get("location")]).toEqual([302, leadsTo]);
});

test("what is saved is its owner's alone: on the page, on the dashboard with what it would label, and changed there", async () => {
  const [owner, other] = await Promise.all([createPerson(server.pool), createPerson(server.pool)]);
  expect(await textOf("/dashboard", owner)).toContain("Name your categories");
  const answer = await save(owner, {
    ...COFFEE,
    category_3: `<b>"Sunday"</b> shop`,
    keywords_3: "kroger, costco",
    keywords_5: " \r\n",
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `${PATH}?saved=1`]);
  expect(await savedOf(owner)).toEqual({
    categories: [
      { name: "Too much coffee", keywords: "cafe\ncoffee" },
      { name: `<b>"Sunday"</b> shop`, keywords: "kroger, costco" },
    ],
    revision: 1,
  });
  const dashboard = await textOf("/dashboard", owner);
  expect(dashboard).toContain("would label SQ *CORNER COFFEE, CAFÉ ODÉON");
  expect(dashboard).toContain("&lt;b&gt;&quot;Sunday&quot;&lt;/b&gt; shop");
  const page = await textOf(PATH, owner);
  expect(page).toContain('value="Too much coffee"');
  expect(page).toContain("5 of 12 labeled, 7 need a name.");
  expect(page).toContain('name="category_3"');
  expect(page).not.toContain('name="category_4"');

  for (const path of ["/dashboard", PATH]) expect(await textOf(path, other)).not.toContain("Too much coffee");
  expect((await save(other, { category_1: "Mine", revision: "1" })).status).toBe(303);
  expect((await savedOf(owner)).revision).toBe(1);

  expect((await save(owner, { revision: "1" })).status).toBe(303);
  expect(await savedOf(owner)).toEqual({ categories: [], revision: 2 });
});

test("what is not valid is refused with its reason, saves nothing and loses nothing", async () => {
  const person = await createPerson(server.pool);
  await save(person, COFFEE);
  for (const [fields, said] of [
    [{ category_2: "x".repeat(41) }, "Enter a name of at most 40 characters"],
    [{ category_2: "🛒".repeat(41) }, "Enter a name of at most 40 characters"],
    [{ category_2: "x".repeat(30_000) }, "Enter a name of at most 40 characters"],
    [
      { category_2: "Shop", keywords_2: "y".repeat(401) },
      "Enter keywords of at most 400 characters together",
    ],
    [{ keywords_2: "kroger" }, "Enter a name"],
    [{ category_2: "\u200b", keywords_2: "kroger" }, "Enter a name"],
    [{ category_2: "Shop\u0000" }, "Some characters here can’t be saved"],
    [{ category_2: "Shop", keywords_2: "\u0007" }, "Some characters here can’t be saved"],
    [{ category_7: "The seventh" }, "Keep at most 6 categories"],
  ] as const) {
    const answer = await save(person, { ...COFFEE, revision: "1", ...fields });
    expect([answer.status, said]).toEqual([400, said]);
    const page = await mainOf(answer);
    expect(page).toContain("Your categories weren’t saved");
    expect(page).toContain(said);
    expect(page).toContain('value="Too much coffee"');
    if ("category_2" in fields && /^[\w🛒]+$/u.test(fields.category_2))
      expect(page).toContain(`value="${fields.category_2}"`);
  }
  expect((await save(person, { category_1: "x".repeat(2_000_000) })).status).toBe(413);
  expect((await savedOf(person)).revision).toBe(1);

  const full = {
    ...COFFEE,
    category_2: "🛒".repeat(40),
    keywords_2: `${"é".repeat(399)}\r\n`,
    revision: "1",
  };
  expect((await save(person, full)).status).toBe(303);
  expect((await savedOf(person)).categories).toHaveLength(2);
});

test("the form of two tabs, sent at once: one is saved, the other told so and kept; sent twice, it is saved once", async () => {
  const person = await createPerson(server.pool);
  for (let round = 0; round < 10; round++) {
    const revision = String((await savedOf(person))?.revision ?? 0);
    const words = ["kroger", "costco"].map((word) => `${word} ${round}`);
    const answers = await Promise.all(
      words.map((keywords_1) => save(person, { category_1: "Shop", keywords_1, revision })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const refused = answers.findIndex(({ status }) => status === 409);
    expect((await savedOf(person)).categories).toEqual([{ name: "Shop", keywords: words[1 - refused] }]);
    const page = await mainOf(answers[refused] as Response);
    expect(page).toContain("changed in another tab or on another device");
    expect(page).toContain(`${words[refused]}</textarea>`);
    expect(page).toContain(`</span> ${words[1 - refused]}`);
    const next = /name="revision" value="(\d+)"/.exec(page)?.[1] ?? "";
    const again = { category_1: "Shop", keywords_1: words[refused] ?? "", revision: next };
    const both = await Promise.all([save(person, again), save(person, again)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect((await savedOf(person)).categories).toEqual([{ name: "Shop", keywords: words[refused] }]);
  }
});

test("words typed before signing up come along, and are stored by their owner's press alone", async () => {
  const typed = [
    { name: "Too much coffee", keywords: "café, coffee" },
    { name: "Sunday shop", keywords: "kroger" },
  ];
  const returnTo = keepLink(typed)?.href ?? "";
  const page = await mainOf(await fetch(server.origin + returnTo));
  expect(page).toContain("Your words come along: Too much coffee, Sunday shop.");
  const email = `carried-${crypto.randomUUID()}@example.com`;
  const signedUp = await postForm(server, "/register", {
    name: "Ada",
    email,
    password: PASSWORD,
    return_to: returnTo,
  });
  expect([signedUp.status, signedUp.headers.get("location")]).toEqual([303, returnTo]);
  const cookie = cookieOf(signedUp);
  const { rows } = await server.pool.query(
    `SELECT id, return_to FROM "user" JOIN mail_links ON user_id = id WHERE "user".email = $1`,
    [email],
  );
  expect(rows[0].return_to).toBe(PATH);
  const person = { id: rows[0].id, email, cookie };

  const filledIn = await textOf(returnTo, person);
  expect(filledIn).toContain("They are not saved yet");
  expect(filledIn).toContain('value="Too much coffee"');
  expect(await savedOf(person)).toBeNull();
  expect((await save(person, { ...COFFEE, revision: "0" })).status).toBe(303);

  // What is saved does not come twice.
  const coffee = new URLSearchParams({ category: "Too much coffee", keywords: "cafe\r\ncoffee" });
  expect(await textOf(`${PATH}?${coffee}`, person)).not.toContain("not saved yet");
  const full = Object.fromEntries([1, 2, 3, 4, 5].map((slot) => [`category_${slot}`, `Number ${slot}`]));
  await save(person, { ...full, revision: "1" });
  const crowded = await textOf(returnTo, person);
  expect(crowded).toContain('value="Too much coffee"');
  expect(crowded).toMatch(/no room for:.*Sunday shop/s);
});

test("nothing in a link breaks the page", async () => {
  const person = await createPerson(server.pool);
  for (const query of [
    "category=%00&keywords=%ff",
    "keywords=a",
    `category=${"x".repeat(7000)}`,
    "category=a&".repeat(90),
    "category=%3Cscript%3E&keywords=%22%3E",
    "revision=-1&saved",
  ])
    expect([query, (await get(server, `${PATH}?${query}`, person.cookie)).status]).toEqual([query, 200]);
});

test("a stranger's categories are not those of the owner of the address", async () => {
  const person = await createPerson(server.pool);
  await save(person, COFFEE);
  await postForm(server, "/forgot-password", { email: person.email });
  const link = linkIn(await mailTo(server, person.email, /^Choose a new password/), "/reset-password");
  const answer = await postForm(server, link, { name: "Ada", password: "lantern pickle ocean 12" });
  expect(answer.status).toBe(303);
  expect(await savedOf(person)).toBeNull();
});
