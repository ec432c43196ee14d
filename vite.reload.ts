import type { Plugin } from "vite";
import { SERVER_CODE_CHANGED } from "./app/ui/reload-script.ts";

/**
 * Reloads pages without scripts in development. They have no modules in the browser, so hot updates would not reach them:
 * instead they receive the time of the last change of server code, on every change and on connecting.
 */
export function reloadPages(): Plugin {
  let changedAt = 0;
  return {
    name: "reload-pages",
    apply: "serve",
    configureServer({ environments }) {
      const { hot } = environments.client;
      hot.on("connection", () => hot.send(SERVER_CODE_CHANGED, changedAt));
    },
    hotUpdate({ modules, server }) {
      if (this.environment.name !== "ssr" || modules.length === 0) return;
      changedAt = Date.now();
      server.environments.client.hot.send(SERVER_CODE_CHANGED, changedAt);
    },
  };
}
