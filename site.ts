import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { RunningApp } from "./app/app.server.ts";

export type CreateOptions = Parameters<typeof import("./app/app.server.ts")["createApp"]>[0];

/** The app with its static files, from the build or from the sources. */
export interface Site {
  app(): Promise<Pick<RunningApp, "fetch" | "start" | "stopWork">>;
  answerFromMemory(request: IncomingMessage, response: ServerResponse, next: RequestListener): void;
  assets(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  stop(): Promise<void>;
}
