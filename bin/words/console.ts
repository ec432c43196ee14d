import { createOperator } from "../../test/operator.ts";
import type { TestServer } from "../../test/server.ts";
import { get } from "../../test/users.ts";
import type { Visit } from "./walk.ts";

/** Shows the operator's console to its operator. */
export async function walkConsole(server: TestServer, visit: Visit): Promise<void> {
  const { cookie } = await createOperator(server.pool);
  const show = async (state: string, path: string) =>
    visit(`Console, ${state}`, path.replace(/\?.*/, ""), await get(server, path, cookie));
  await show("waitlist", "/admin/waitlist");
  await show("inviting", "/admin/waitlist/invite?count=2&tier=premium&months=1");
  await show("inviting, wrong", "/admin/waitlist/invite?count=none&tier=premium&months=1");
  const { rows } = await server.pool.query("SELECT id FROM waitlist_invitations LIMIT 1");
  await show("an invitation", `/admin/waitlist/invitations/${rows[0]?.id}`);
}
