import { fromContext } from "../../context.server.ts";
import { LIMITS } from "../../http/limits.ts";
import { takeTurn } from "../../http/rate-limit.server.ts";
import { tooMany } from "../../http/too-many.server.ts";
import { requireFreshSession } from "../session.server.ts";
import type { Route } from "./+types/export.ts";
import { exportAccount } from "./export.server.ts";

/**
 * What is kept about whoever is signed in, as a file. Confirming who one is leads to the page with the link to it: a
 * download cannot take the place of a page.
 */
export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args, "/account?export=ready");
  const { app } = fromContext(args.context);
  const turn = await takeTurn(app, LIMITS.exportByUser, user.id);
  if (!turn.ok) {
    const { message, status, headers } = tooMany(turn.waitSeconds);
    return new Response(message, { status, headers: { ...headers, "Content-Type": "text/plain" } });
  }
  const { product } = app.config.site;
  const exportedAt = new Date();
  const body = { product, exportedAt, ...(await exportAccount(app.db, user.id)) };
  return new Response(`${JSON.stringify(body, null, 2)}\n`, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName(product, exportedAt)}"`,
      "Cache-Control": "no-store",
    },
  });
}

/** In letters that every file system takes, and no header misreads. */
function fileName(product: string, at: Date): string {
  const name = product
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `${[name, "account", at.toISOString().slice(0, 10)].filter(Boolean).join("-")}.json`;
}
