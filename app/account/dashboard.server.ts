import { and, eq, sql } from "drizzle-orm";
import { user } from "../auth/schema.ts";
import { IS_UNCONFIRMED } from "../billing/confirm.server.ts";
import { checkoutAttempts } from "../billing/schema.ts";
import type { CategoryInput } from "../categories/category-input.ts";
import { savedCategories } from "../categories/schema.ts";
import type { Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";

const findOnDashboard = prepareOnce((db) =>
  db
    .select({ sessionId: checkoutAttempts.sessionId, categories: savedCategories.categories })
    .from(user)
    .leftJoin(checkoutAttempts, and(eq(checkoutAttempts.userId, user.id), IS_UNCONFIRMED))
    .leftJoin(savedCategories, eq(savedCategories.userId, user.id))
    .where(eq(user.id, sql.placeholder("userId")))
    .prepare("on_dashboard"),
);

/** The unconfirmed payment and the categories, in one query. */
export async function readDashboard(
  db: Queryable,
  userId: string,
): Promise<{ unconfirmedSession: string | null; categories: CategoryInput[] }> {
  const [found] = await findOnDashboard(db).execute({ userId });
  return { unconfirmedSession: found?.sessionId ?? null, categories: found?.categories ?? [] };
}
