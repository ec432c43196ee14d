import { expect, test } from "vitest";
import { mainOf, postForm } from "../../../test/http.ts";
import { createOperator } from "../../../test/operator.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createSignedInUsers, get } from "../../../test/users.ts";

const server = sharedServer();

async function operate() {
  const { cookie } = await createOperator(server.pool);
  const read = async (path: string) => {
    const answer = await get(server, path, cookie);
    return { status: answer.status, main: await mainOf(answer) };
  };
  return {
    cookie,
    read,
    /** Follows where the form leads. */
    async send(path: string, fields: Record<string, string>) {
      const answer = await postForm(server, path, fields, cookie);
      const location = answer.headers.get("location");
      return location
        ? { status: answer.status, location, main: (await read(location)).main }
        : { status: answer.status, location: "", main: await mainOf(answer) };
    },
  };
}

const hidden = (main: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(main)?.[1]?.replaceAll("&quot;", '"') ?? "";

/** What the audit log says of these codes and batches. */
const changes = async (...subjects: string[]) => {
  const query = "SELECT action, subject FROM audit_log WHERE subject = ANY ($1) ORDER BY id";
  const { rows } = await server.pool.query(query, [subjects]);
  return rows.map(({ action, subject }) => `${action} ${subject}`);
};

test("a code is created, found in the list, paused in three presses and edited", async () => {
  const { read, send } = await operate();
  const form = await read("/admin/new-code");
  const random = hidden(form.main, "random");
  const terms = { random, code: "spring", tier: "premium", months: "3", maxUses: "5", note: "For spring" };
  const limits = { expiresAt: "2999-01-31T12:00", oncePerMailbox: "on" };
  const created = await send("/admin/new-code", { ...terms, ...limits });
  expect(created.location).toBe("/admin/codes/SPRING?said=created");
  expect(created.main).toContain("/pricing?promo=SPRING");
  expect(created.main).toMatch(/<svg role="img" aria-label="QR code of the link with SPRING".*<path d="M/s);
  expect(created.main).toMatch(/Once per mailbox<\/dt><dd[^>]*>Yes/);
  const again = await send("/admin/new-code", terms);
  expect(again.status).toBe(409);
  expect(again.main).toContain("SPRING exists already. It was left as it is.");
  expect(again.main).toContain('value="For spring"');

  // The overview's link, the code's, the button: three presses.
  const list = await read("/admin/codes?code=Spring");
  expect(list.main).toMatch(/href="\/admin\/codes\/SPRING".*Active.*CSV \+ Banking · 3 months.*0 of 5/s);
  const paused = await send("/admin/codes/SPRING", { do: "pause" });
  expect(paused.main).toContain("Paused. Nobody can redeem it until you resume it.");
  expect((await send("/admin/codes/SPRING", { do: "pause" })).main).toContain("It was paused already.");
  expect((await send("/admin/codes/SPRING", { do: "resume" })).main).toContain("Resumed.");
  expect((await send("/admin/codes/SPRING", { do: "burn" })).status).toBe(400);
  expect((await send("/admin/codes/NOSUCH", { do: "pause" })).status).toBe(404);

  const edit = await read("/admin/codes/SPRING/edit");
  expect(edit.main).toContain('value="2999-01-31T12:00"');
  expect(edit.main).toMatch(/<input(?=[^>]*name="oncePerMailbox")(?=[^>]*checked)/);
  const seen = hidden(edit.main, "seen");
  const wanted = { seen, tier: "premium", months: "3", note: "For spring" };
  const saved = await send("/admin/codes/SPRING/edit", { ...wanted, maxUses: "7" });
  expect(saved.location).toBe("/admin/codes/SPRING?said=saved");
  expect(saved.main).toMatch(/Once per mailbox<\/dt><dd[^>]*>No/);
  const stale = await send("/admin/codes/SPRING/edit", { ...wanted, maxUses: "8" });
  expect(stale.status).toBe(409);
  expect(stale.main).toContain("Somebody changed this code after you opened this page");
  expect(await changes("promo_code:SPRING")).toEqual(
    ["created", "paused", "resumed", "edited"].map((done) => `promo_code.${done} promo_code:SPRING`),
  );
});

test("a redeemed code shows who and when, keeps what it gives, and refuses fewer uses in words", async () => {
  const { read, send } = await operate();
  await send("/admin/new-code", { random: "UNUSED", code: "GONE3", tier: "basic", maxUses: "100" });
  const users = await createSignedInUsers(server.pool, 60);
  for (const { cookie } of users.slice(0, 3))
    expect((await postForm(server, "/subscription", { form: "promo", code: "gone3" }, cookie)).status).toBe(
      200,
    );
  await server.pool.query(`DELETE FROM "user" WHERE id = $1`, [users[0]?.id]);
  const page = await read("/admin/codes/gone3");
  expect(page.main).toContain(`href="/admin/people/${users[1]?.id}"`);
  expect(page.main).toContain("Account deleted");
  expect(page.main).toContain("3 of 100");
  const edit = await read("/admin/codes/GONE3/edit");
  expect(edit.main).not.toContain("<select");
  const seen = hidden(edit.main, "seen");
  const fewer = await send("/admin/codes/GONE3/edit", { seen, tier: "basic", months: "1", maxUses: "2" });
  expect(fewer.main).toContain("It has been redeemed 3 times, so it can’t allow fewer uses than that.");
  const other = await send("/admin/codes/GONE3/edit", { seen, tier: "premium", months: "1" });
  expect(other.main).toContain("its plan and length stay as they are");
  const csv = await (
    await get(server, "/admin/codes/GONE3/redemptions.csv", (await operate()).cookie)
  ).text();
  expect(csv.trimEnd().split("\r\n")).toHaveLength(4);
});

test("accounts that redeemed a code with spellings of one mailbox are marked, here and in the file", async () => {
  const { read, send, cookie } = await operate();
  await send("/admin/new-code", { random: "UNUSED", code: "SPELLED", tier: "basic" });
  const users = await createSignedInUsers(server.pool, 4);
  const [first, second, another, unused] = users.map(({ id }) => id);
  for (const [id, email] of [
    [first, `a.da-${first}@gmail.com`],
    [second, `AD.A-${first}+x@googlemail.com`.toLowerCase()],
    [another, `ada-${first}@example.com`],
    [unused, `ada-${first}+y@gmail.com`],
  ])
    await server.pool.query(`UPDATE "user" SET email = $2 WHERE id = $1`, [id, email]);
  for (const user of users.slice(0, 3))
    await postForm(server, "/subscription", { form: "promo", code: "spelled" }, user.cookie);
  const { main } = await read("/admin/codes/SPELLED");
  expect(main.match(/same mailbox as/g)).toHaveLength(2);
  for (const [id, other] of [
    [first, second],
    [second, first],
  ])
    expect(main).toMatch(
      new RegExp(
        `<td[^>]*><a href="/admin/people/${id}"[^>]*>(?:(?!</td>).)*same mailbox as.*?people/${other}"`,
        "s",
      ),
    );
  const file = await (await get(server, "/admin/codes/SPELLED/redemptions.csv", cookie)).text();
  const [header, ...lines] = file.trimEnd().split("\r\n");
  expect(header).toMatch(/,"same_mailbox_as","user_id"$/);
  const column = header?.split(",").indexOf('"same_mailbox_as"') ?? -1;
  expect(lines.find((line) => line.includes(`${another}`))?.split(",")[column]).toBe('""');
  expect(lines.find((line) => line.includes(`"${first}"`))).toContain(`"ad.a-${first}+x@googlemail.com"`);
});

test("the list is filtered by how a code begins and by its state, and that of a batch stays one of the batch", async () => {
  const { read } = await operate();
  await server.pool.query(`
    INSERT INTO promo_batches (id, name, size, duration_type, finished_at) VALUES ('states', 'x', 1, 'forever', now());
    INSERT INTO promo_codes (code, tier, duration_type, active, starts_at, expires_at, max_uses, batch_id, is_single) VALUES
      ('FS-ACTIVE', 'basic', 'forever', true, now() - interval '1 day', now() + interval '1 day', 1, NULL, true),
      ('FS-PAUSED', 'basic', 'forever', false, NULL, now() - interval '1 day', NULL, NULL, true),
      ('FS-ENDED', 'basic', 'forever', true, NULL, now() - interval '1 day', 0, NULL, true),
      ('FS-USED', 'basic', 'forever', true, now() + interval '1 day', NULL, 0, NULL, true),
      ('FS-LATER', 'basic', 'forever', true, now() + interval '1 day', NULL, NULL, NULL, true),
      ('FS-OF-BATCH', 'basic', 'forever', true, NULL, NULL, NULL, 'states', false)`);
  const listed = async (query: string) =>
    [...(await read(`/admin/codes?${query}`)).main.matchAll(/href="\/admin\/codes\/(FS-\w+(?:-\w+)?)"/g)]
      .map(([, code]) => code)
      .toSorted();
  const singles = ["FS-ACTIVE", "FS-ENDED", "FS-LATER", "FS-PAUSED", "FS-USED"];
  expect(await listed("code=fs-")).toEqual(singles);
  expect(await listed("code=FS-_")).toEqual([]);
  expect(await listed("batch=states&code=fs")).toEqual(["FS-OF-BATCH"]);
  // The words beside them are those of `stateOfPromoCode`.
  for (const [state, word, code] of [
    ["active", "Active", "FS-ACTIVE"],
    ["paused", "Paused", "FS-PAUSED"],
    ["ended", "Ended", "FS-ENDED"],
    ["used up", "Used up", "FS-USED"],
    ["not yet", "Not started", "FS-LATER"],
  ]) {
    const query = `code=FS-&state=${encodeURIComponent(`${state}`)}`;
    expect([state, await listed(query)]).toEqual([state, [code]]);
    expect((await read(`/admin/codes?${query}`)).main).toMatch(
      new RegExp(`/admin/codes/${code}".*class="state"[^>]*>${word}<`, "s"),
    );
  }
});

test("without a code a random one is made, once however often the form is sent", async () => {
  const { read, send } = await operate();
  const random = hidden((await read("/admin/new-code")).main, "random");
  const [one, two] = [await send("/admin/new-code", { random }), await send("/admin/new-code", { random })];
  expect(one.location).toBe(`/admin/codes/${random}?said=created`);
  expect(two.location).toBe(`/admin/codes/${random}`);
});

test.each([
  [{ code: "two words" }, "Use letters, digits, - and _"],
  [{ code: "A", months: "0" }, "Give a whole number from 1"],
  [{ code: "A", months: "2", forever: "on" }, "Choose either a number of months or forever"],
  [{ code: "A", startsAt: "2027-02-01T00:00", expiresAt: "2027-01-01T00:00" }, "Give an end after the start"],
  [{ code: "A", maxUses: "99999999999" }, "Give a whole number from 1"],
  [{ code: "A", note: "n".repeat(201) }, "Use at most 200 characters"],
  [{ code: "A", tier: "gold" }, "Choose basic or premium"],
])("%j is refused where it was typed", async (fields, complaint) => {
  const { send } = await operate();
  const answer = await send("/admin/new-code", { random: "RANDOM", ...fields });
  expect([answer.status, answer.main]).toEqual([400, expect.stringContaining(complaint)]);
});

test("a batch is made by a job while its page looks again, and downloaded; its codes are not among the others", async () => {
  const { cookie, read, send } = await operate();
  const batch = hidden((await read("/admin/batches/new")).main, "batch");
  const fields = { batch, name: "Leaflets", size: "1100", maxUses: "1", oncePerMailbox: "on" };
  const made = await send("/admin/batches/new", fields);
  expect(made.location).toBe(`/admin/batches/${batch}`);
  expect((await send("/admin/batches/new", fields)).location).toBe(`/admin/batches/${batch}`);
  await expect.poll(async () => (await read(`/admin/batches/${batch}`)).main).toContain("Download the codes");
  const file = await get(server, `/admin/batches/${batch}/codes.csv`, cookie);
  expect(file.headers.get("content-disposition")).toContain("attachment");
  const [header, ...lines] = (await file.text()).trimEnd().split("\r\n");
  expect(header).toMatch(/^"code","link",/);
  const column = header?.split(",").indexOf('"once_per_mailbox"') ?? -1;
  expect(lines[0]?.split(",")[column]).toBe('"true"');
  expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(1_100);
  const code = lines[0]?.split('"')[1] ?? "";
  expect((await read("/admin/codes?sort=code")).main).not.toContain(code);
  expect((await read(`/admin/codes?batch=${batch}`)).main).toContain(code);
  expect((await send(`/admin/batches/${batch}`, { do: "pause" })).main).toContain("All paused");
  expect((await changes(`promo_batch:${batch}`))[0]).toBe(`promo_batch.created promo_batch:${batch}`);
  // Who reads the log learns no code.
  expect(await changes(...lines.map((line) => `promo_code:${line.split('"')[1]}`))).toEqual([]);
});
