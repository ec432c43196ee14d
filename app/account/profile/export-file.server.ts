import type { App } from "../../http/context.server.ts";
import { exportAccount } from "./export.server.ts";

/** Everything we keep about a user, as a download. */
export async function exportFile(app: Pick<App, "config" | "db">, userId: string): Promise<Response> {
  const { product } = app.config.site;
  const exportedAt = new Date();
  const body = { product, exportedAt, ...(await exportAccount(app.db, userId)) };
  return new Response(`${JSON.stringify(body, null, 2)}\n`, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName(product, exportedAt)}"`,
      "Cache-Control": "no-store",
    },
  });
}

/** In ASCII letters, digits and hyphens: safe in any file system and header. */
function fileName(product: string, at: Date): string {
  const name = product
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `${[name, "account", at.toISOString().slice(0, 10)].filter(Boolean).join("-")}.json`;
}
