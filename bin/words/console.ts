import { crawlConsole } from "../../test/crawl-console.ts";
import { eventually, postForm } from "../../test/http.ts";
import { createOperator } from "../../test/operator.ts";
import type { TestServer } from "../../test/server.ts";
import { createSignedInUser, get } from "../../test/users.ts";
import type { Visit } from "./walk.ts";

const BATCH = "9b2e6f0a-0000-4000-8000-000000000000";

/** Shows the operator's console to its operator: every page that another one leads to. */
export async function walkConsole(server: TestServer, visit: Visit): Promise<void> {
  const { cookie, id } = await createOperator(server.pool);
  await server.pool.query(
    `WITH batch AS (INSERT INTO promo_batches (id, name, size, duration_type, finished_at)
       VALUES ($1, 'Friends', 1, 'months', now()) RETURNING id),
     code AS (INSERT INTO promo_codes (code, duration_type, batch_id) SELECT 'FRIEND', 'months', id FROM batch)
     INSERT INTO contact_messages (id, name, email, topic, message, content_hash)
     VALUES ($1, 'Ada', 'ada@example.com', 'idea', 'Charts!', $1)`,
    [BATCH],
  );
  const unlinked = [
    "/admin/waitlist/invite?count=none&tier=premium&months=1",
    "/admin/new-code",
    "/admin/batches/new",
    `/admin/batches/${BATCH}`,
    "/admin/mail/templates",
    "/admin/codes/FRIEND/edit",
    `/admin/people/${id}/give`,
    `/admin/people/${id}/delete`,
  ];
  for await (const { path, status } of crawlConsole(server.origin, cookie, unlinked)) {
    if (status !== 200) continue;
    await visit(`Console, ${path}`, path.replace(/\?.*/, ""), await get(server, path, cookie));
  }
  await openFeature(server, cookie, visit);
}

/** Opens a feature, which is mailed to those who have it, and closes it again. */
async function openFeature(server: TestServer, cookie: string, visit: Visit): Promise<void> {
  const holder = await createSignedInUser(server.pool);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at)
     VALUES ($1, $1, 'basic', 'admin', now() + interval '1 month')`,
    [holder.id],
  );
  const change = async (fields: Record<string, string>) => {
    const sent = await postForm(server, "/admin/features", { feature: "csv_processing", ...fields }, cookie);
    const page = await get(server, sent.headers.get("location") ?? "", cookie);
    await visit(`Console, features, ${fields.change}`, "/admin/features", page);
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
