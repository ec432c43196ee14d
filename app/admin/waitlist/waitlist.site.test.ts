import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { eventually, mainOf, postForm } from "../../../test/http.ts";
import { linkIn, mailTo } from "../../../test/mail.ts";
import { createOperator } from "../../../test/operator.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { createPerson, get, type Person } from "../../../test/users.ts";
import { INVITE_ANYWAY } from "../../waitlist/limits.ts";
import { createMembers } from "../../waitlist/members.fixture.ts";

const server = setupServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

beforeEach(() => server.pool.query("DELETE FROM waitlist"));

const page = async (path: string) => mainOf(await get(server, path, operator.cookie));

/** Without the comments React puts between pieces of text, and without where an address may wrap. */
const words = (html: string) => html.replaceAll(/<!-- -->|<wbr\/>/g, "");

const TERMS = { count: "2", tier: "premium", months: "1", last_day: "2999-01-31" };

const invite = (fields: Record<string, string> = {}) => {
  const all = { ...TERMS, invitation: randomUUID(), confirm: INVITE_ANYWAY, ...fields };
  return postForm(server, "/admin/waitlist/invite", all, operator.cookie);
};

test("the next are seen first, then invited with three presses from the overview; they sign up with their code", async () => {
  const [ada, bob, eve] = await createMembers(server.pool, 3, true);
  expect(await page("/admin")).toBeDefined();
  const overview = words(await page("/admin/waitlist"));
  expect(overview).toContain("<dt>Waiting</dt><dd>3</dd>");
  expect(overview).toContain("<dt>Used their code</dt><dd>0</dd>");
  expect(overview).toContain('href="/admin/waitlist/invite"');

  const preview = words(await page(`/admin/waitlist/invite?${new URLSearchParams(TERMS)}`));
  expect(preview).toContain("3 are waiting");
  expect(preview).toContain("Invite 2 people");
  for (const { email } of [ada, bob].filter((member) => member !== undefined))
    expect(preview).toContain(email);
  expect(preview).not.toContain(eve?.email);
  expect((await server.pool.query("SELECT FROM waitlist WHERE invitation_id IS NOT NULL")).rowCount).toBe(0);

  const [, invitation = ""] = /name="invitation" value="([^"]+)"/.exec(preview) ?? [];
  const [answer, again] = [await invite({ invitation }), await invite({ invitation })];
  for (const { status, headers } of [answer, again])
    expect([status, headers.get("location")]).toEqual([
      303,
      `/admin/waitlist/invitations/${invitation}?said=invited`,
    ]);

  const mail = await mailTo(server, ada?.email ?? "", /^It’s your turn/);
  const [, code = ""] = /Your code: (\S+)/.exec(mail.text) ?? [];
  const place = await mainOf(await fetch(server.origin + linkIn(mail, "/waitlist/place")));
  expect(place).toContain(code);
  const register = linkIn(mail, "/register");
  expect(place).toContain(`href="${register.replaceAll("&", "&amp;")}"`);

  const person = await createPerson(server.pool);
  const signedIn = await get(server, register, person.cookie);
  expect(signedIn.headers.get("location")).toBe(`/subscription?promo=${code}`);
  const redeemed = await postForm(server, "/subscription", { form: "promo", code }, person.cookie);
  expect(redeemed.status).toBe(200);
  expect(await mainOf(await fetch(server.origin + linkIn(mail, "/waitlist/place")))).toContain(
    "Your code has been used",
  );

  await eventually(
    async () => !(await page(`/admin/waitlist/invitations/${invitation}`)).includes("http-equiv"),
    "the progress page is done",
  );
  const done = words(await page(`/admin/waitlist/invitations/${invitation}`));
  expect(done).toContain("<dt>Emailed</dt><dd>2</dd>");
  expect(done).toContain("<dt>Used their code</dt><dd>50%</dd><dd>1 of 2");
  await server.pool.query("UPDATE mails SET sent_at = NULL, given_up_at = now() WHERE recipient = $1", [
    bob?.email,
  ]);
  const undelivered = words(await page(`/admin/waitlist/invitations/${invitation}`));
  expect(undelivered).toMatch(/href="\/admin\/mail\/\d+"[^>]*><span[^>]*>Could not be delivered</);
  expect(done).toMatch(/<dt>Not delivered<\/dt><dd><span[^>]*>0</);
  expect(undelivered).toContain("of 2 emails");
  expect(done).toContain("Code used");
  expect(words(await page("/admin/waitlist"))).toContain("<dt>Used their code</dt><dd>1</dd>");
  const place3 = await mainOf(await fetch(`${server.origin}/waitlist/place?token=${eve?.token}`));
  expect(words(place3)).toContain("number 1");
});

test.each([
  [{ count: "0" }, "Enter a number from 1"],
  [{ count: "many" }, "Enter a number"],
  [{ count: "10001" }, "Enter a number up to 10,000"],
  [{ months: "1.5" }, "Enter a whole number"],
  [{ last_day: "2020-01-01" }, "Enter a day that is not over"],
  [{ last_day: "soon" }, "Enter a day like 2027-01-31"],
  [{ tier: "gold" }, "Choose basic or premium"],
])(
  "%j is refused with a reason, by the preview and by the button",
  async (fields: Record<string, string>, reason) => {
    await createMembers(server.pool, 1, true);
    const query = new URLSearchParams({ ...TERMS, ...fields });
    const preview = words(await page(`/admin/waitlist/invite?${query}`));
    expect(preview).toContain(reason);
    expect(preview).not.toContain(">Invite 1");
    const pressed = await invite(fields);
    expect(pressed.status).toBe(400);
    expect(await mainOf(pressed)).toContain(reason);
  },
);

test.each([1, 2, 3, 4, 7])(
  "a preview of %i names the first three and the last three of those, and nobody else",
  async (count) => {
    const members = await createMembers(server.pool, 8, true);
    const query = new URLSearchParams({ ...TERMS, count: String(count) });
    const preview = words(await page(`/admin/waitlist/invite?${query}`));
    const named = members.map(({ email }) => preview.includes(email));
    expect(named).toEqual(members.map((_, index) => index < count && (index < 3 || index >= count - 3)));
  },
);

test("an empty waitlist: the button says so", async () => {
  const answer = await invite();
  expect(answer.status).toBe(409);
  expect(await mainOf(answer)).toContain("Nobody is waiting, so nobody was invited.");
});

test("the list is filtered by address, state and who brought them, and downloads as CSV", async () => {
  const [ada, bob] = await createMembers(server.pool, 2, true);
  const [eve] = await createMembers(server.pool, 1, false);
  await server.pool.query(
    "UPDATE waitlist SET referred_by = $1, name = '=1+1', uses_today = 'A notebook' WHERE email = $2",
    [ada?.id, bob?.email],
  );
  const listed = async (query: string) => {
    const [, table = ""] = (await page(`/admin/waitlist${query}`)).split('id="members"');
    return [ada, bob, eve].flatMap((member, at) =>
      member && table.includes(`search?q=${encodeURIComponent(member.email)}"`) ? [at] : [],
    );
  };
  expect(await listed("")).toEqual([0, 1]);
  expect(await listed("?state=all")).toEqual([0, 1, 2]);
  expect(await listed(`?email=${bob?.email.toUpperCase().slice(0, 12)}`)).toEqual([1]);
  expect(await listed("?email=%25")).toEqual([]);
  expect(await listed("?state=unconfirmed")).toEqual([2]);
  expect(await listed("?state=confirmed")).toEqual([0, 1]);
  expect(await listed(`?by=${ada?.id}`)).toEqual([1]);
  // Both hold.
  const begin = eve?.email.slice(0, 12);
  expect(await listed(`?email=${begin}&state=unconfirmed`)).toEqual([2]);
  expect(await listed(`?email=${begin}&state=confirmed`)).toEqual([]);
  expect(await listed(`?by=${ada?.id}&email=${begin}`)).toEqual([]);
  const csv = await (await get(server, "/admin/waitlist.csv?state=confirmed", operator.cookie)).text();
  const lines = csv.trimEnd().split("\r\n");
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain(`"${bob?.email}","'=1+1","A notebook","Waiting","2","0","${ada?.email}",`);
});

test("while nothing is open, inviting needs the words that say so, and the mail says what is live", async () => {
  await createMembers(server.pool, 1, true);
  const preview = words(await page("/admin/waitlist/invite?count=1&tier=basic&months=1"));
  expect(preview).toContain("Nothing is open yet.");
  const refused = await invite({ count: "1", confirm: "yes" });
  expect(await refused.text()).toContain("No feature is open yet, so nobody was invited.");
  await server.pool.query("INSERT INTO features (key, opened_at) VALUES ('csv_processing', now())");
  try {
    expect((await invite({ count: "1", confirm: "" })).status).toBe(303);
    const mail = await eventually(async () => {
      const { rows } = await server.pool.query(
        "SELECT mail ->> 'text' AS text FROM sandbox_mail.messages WHERE mail ->> 'text' LIKE '%You’re off the waitlist%' ORDER BY id DESC LIMIT 1",
      );
      return rows.find(({ text }) => text.includes("is open."));
    }, "the invitation");
    expect(mail.text.replaceAll(/\s+/g, " ")).toContain(
      "CSV Processing (your bank’s file) is open. The Banking API",
    );
  } finally {
    await server.pool.query("DELETE FROM features");
  }
});
