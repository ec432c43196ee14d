import { eventually, postForm } from "../../test/http.ts";
import { createOperator } from "../../test/operator.ts";
import type { TestServer } from "../../test/server.ts";
import { createSignedInUser, get } from "../../test/users.ts";
import type { Visit } from "./walk.ts";

/** Shows the operator's console to its operator. */
export async function walkConsole(server: TestServer, visit: Visit): Promise<void> {
  const { cookie } = await createOperator(server.pool);
  const show = async (state: string, path: string) =>
    visit(`Console, ${state}`, path.replace(/\?.*/, ""), await get(server, path, cookie));
  await show("plans", "/admin/plans");
  await openFeature(server, cookie, show);
  await show("waitlist", "/admin/waitlist");
  await show("inviting", "/admin/waitlist/invite?count=2&tier=premium&months=1");
  await show("inviting, wrong", "/admin/waitlist/invite?count=none&tier=premium&months=1");
  const { rows } = await server.pool.query("SELECT id FROM waitlist_invitations LIMIT 1");
  await show("an invitation", `/admin/waitlist/invitations/${rows[0]?.id}`);
}

/** Opens a feature, which is mailed to those who have it, and closes it again. */
async function openFeature(
  server: TestServer,
  cookie: string,
  show: (state: string, path: string) => Promise<void>,
): Promise<void> {
  await show("features", "/admin/features");
  const { id } = await createSignedInUser(server.pool);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at)
     VALUES ($1, $1, 'basic', 'admin', now() + interval '1 month')`,
    [id],
  );
  const change = async (fields: Record<string, string>) => {
    const sent = await postForm(server, "/admin/features", { feature: "csv_processing", ...fields }, cookie);
    await show(`features, ${fields.change}`, sent.headers.get("location") ?? "");
  };
  await change({ change: "open", seen: "" });
  await eventually(
    async () =>
      (await server.pool.query("SELECT FROM audit_log WHERE action = 'feature.announced'")).rowCount,
    "the feature was announced",
  );
  const { rows } = await server.pool.query("SELECT opened_at FROM features WHERE opened_at IS NOT NULL");
  await change({ change: "close", seen: rows[0]?.opened_at.toISOString() });
}
