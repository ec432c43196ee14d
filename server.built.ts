import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import type { RunningApp } from "./app/app.server.ts";
import { shareAssets } from "./app/http/shared-assets.server.ts";
import { createStaticFiles, readStaticFiles } from "./app/http/static-files.server.ts";

export type CreateOptions = Parameters<typeof import("./app/app.server.ts")["createApp"]>[0];

/** The app with its static files, from the build or from the sources. */
export interface Site {
  app(): Promise<Pick<RunningApp, "fetch" | "start" | "stopWork">>;
  answerFromMemory(request: IncomingMessage, response: ServerResponse, next: RequestListener): void;
  assets(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  /** Deliveries to the webhook; `false` for everything else, and while developing. */
  receiveEvent: RunningApp["receiveEvent"];
  stop(): Promise<void>;
}

/** The site as `npm run build` has built it. Its files are shared with processes of other versions before it is ready. */
export async function openBuiltSite(options: CreateOptions): Promise<Site> {
  // Vite builds its entry from app.server.ts, so that is its type.
  const { createApp }: typeof import("./app/app.server.ts") = await import(
    "./build/server/index.js" as string
  );
  const app = createApp(options);
  const { role, publicOrigin } = options.config;
  // A worker shows no page.
  const files = role === "worker" ? [] : readStaticFiles(join(import.meta.dirname, "build/client"));
  const shared = await shareAssets(options, files);
  const assets = createStaticFiles(files, publicOrigin.startsWith("https:"), shared.find);
  return {
    app: async () => app,
    answerFromMemory: app.answerFromMemory,
    receiveEvent: app.receiveEvent,
    assets,
    async stop() {
      shared.stop();
      await app.stop();
    },
  };
}
