import { expect, test } from "vitest";
import { createOperator } from "../../test/operator.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createPerson, get, verify } from "../../test/users.ts";

const server = setupServer();

test("the console exists for operators only", async () => {
  const operator = await createOperator(server.pool);
  const person = await createPerson(server.pool);
  await verify(server, person);
  const page = await get(server, "/admin", operator.cookie);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain(operator.email);
  const unknown = await (await get(server, "/nothing-here", person.cookie)).text();
  for (const cookie of [undefined, person.cookie]) {
    const answer = await get(server, "/admin", cookie);
    expect(answer.status).toBe(404);
    if (cookie) expect(await answer.text()).toBe(unknown);
  }
});

test("a confirmed operator is offered no plan anywhere in the account", async () => {
  const { cookie } = await createOperator(server.pool);
  const sent = await get(server, "/subscription", cookie);
  expect([sent.status, sent.headers.get("location")]).toEqual([302, "/dashboard"]);
  for (const path of ["/dashboard", "/account", "/verify-email/done?return_to=/subscription"]) {
    const page = await (await get(server, path, cookie)).text();
    expect(page, path).not.toMatch(/Subscribe Now|Please subscribe|Choose a plan|href="\/subscription/);
  }
  const page = await (await get(server, "/dashboard", cookie)).text();
  expect(page).toContain("This is an admin account. Admins don’t need a plan.");
});
