/** One bundled file starts in half the time of twelve hundred sources, with a third less memory (decision 0063). */
import type { Server } from "node:http";
import { join } from "node:path";
import { createApp } from "./app.server.ts";
import { shareAssets } from "./http/shared-assets.server.ts";
import { createStaticFiles } from "./http/static-files.server.ts";
import { type CreateOptions, type Site, serve } from "./serve.server.ts";

await serve(openBuiltSite);

/** Its files are shared with processes of other versions before it is ready. */
async function openBuiltSite(_server: Server, options: CreateOptions): Promise<Site> {
  const app = createApp(options);
  const folder = join(import.meta.dirname, "../build/client");
  const own = createStaticFiles(folder);
  const shared = options.config.role === "worker" ? null : await shareAssets(options, folder);
  return {
    app: async () => app,
    answerFromMemory: app.answerFromMemory,
    assets: (request, response, next) =>
      own(request, response, () => (shared ? shared.serve(request, response, next) : next())),
    async stop() {
      shared?.stop();
      await app.stop();
    },
  };
}
