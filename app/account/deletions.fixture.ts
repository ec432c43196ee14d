import { expect } from "vitest";
import { call, checkoutOf, eventually, pay, postForm } from "../../test/http.ts";
import type { TestServer } from "../../test/server.ts";
import type { Person } from "../../test/users.ts";

/** Actions and checks that the tests of deleting an account share. */
export function deletionsOn(server: TestServer) {
  return { remove, exists, openCheckout, payFor, traces };

  function remove({ cookie, email }: Person, subscription = "", typed = email): Promise<Response> {
    return postForm(server, "/account/delete", { email: typed, subscription }, cookie);
  }

  async function exists({ id }: Person): Promise<boolean> {
    return (await server.pool.query(`SELECT FROM "user" WHERE id = $1`, [id])).rowCount === 1;
  }

  /** Opens a page to pay on. @returns its address */
  async function openCheckout({ cookie }: Person): Promise<string> {
    const answer = await call(server, checkoutOf(server), cookie);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { result: { url: string } }).result.url;
  }

  /** Pays, and waits until it is known here. @returns the subscription's id */
  async function payFor(person: Person): Promise<string> {
    await pay(await openCheckout(person));
    const rows = async () =>
      (await server.pool.query("SELECT id FROM stripe_subscriptions WHERE user_id = $1", [person.id])).rows;
    await eventually(async () => (await rows()).length === 1, "the subscription");
    return (await rows())[0].id;
  }

  /** How many rows anywhere still name a user. */
  async function traces(userId: string): Promise<number> {
    const tables = [
      "session",
      "account",
      "mail_links",
      "grants",
      "customers",
      "stripe_subscriptions",
      "checkout_attempts",
    ];
    let count = 0;
    for (const table of tables)
      count += (await server.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])).rowCount ?? 0;
    return count;
  }
}
