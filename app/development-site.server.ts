import type { Server } from "node:http";
import { stripVTControlCharacters } from "node:util";
import { createServer } from "vite";
import type { RunningApp } from "./app.server.ts";
import type { CreateOptions, Site } from "./serve.server.ts";

/** A change is seen at the next request, an exception in the browser. */
export async function openDevelopmentSite(server: Server, options: CreateOptions): Promise<Site> {
  const vite = await createServer({
    server: { middlewareMode: true, hmr: { server } },
    appType: "custom",
  });
  let loaded: { createApp: unknown; app: RunningApp } | undefined;

  async function load(): Promise<RunningApp> {
    const { createApp } = (await vite.ssrLoadModule(
      "./app/app.server.ts",
    )) as typeof import("./app.server.ts");
    if (loaded?.createApp === createApp) return loaded.app;
    const outdated = loaded?.app;
    // Before anything is awaited, so that two requests do not both replace it.
    const app = createApp(options);
    loaded = { createApp, app };
    await outdated?.stop();
    if (outdated) await app.start();
    return app;
  }

  return {
    app: async () => ({
      start: async () => (await load()).start(),
      stopWork: async () => loaded?.app.stopWork(),
      async fetch(request, peerAddress, notes) {
        try {
          return await (await load()).fetch(request, peerAddress, notes);
        } catch (error) {
          options.log.error({ error }, "this could not be loaded");
          return showError(error);
        }
      },
    }),
    answerFromMemory: (request, response, next) => next(request, response),
    assets: vite.middlewares,
    async stop() {
      await loaded?.app.stop();
      await vite.close();
    },
  };
}

/** Once the error is fixed, the page reloads. */
function showError(error: unknown): Response {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const escaped = stripVTControlCharacters(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return new Response(
    `<!doctype html><title>Unexpected Application Error!</title><h1>Unexpected Application Error!</h1>
<pre>${escaped}</pre><script type="module" src="/app/ui/reload-page.ts"></script>`,
    { status: 500, headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" } },
  );
}
