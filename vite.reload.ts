import type { Plugin } from "vite";
import { SERVER_CODE_CHANGED } from "./app/ui/reload-script.ts";

/**
 * While developing: pages without scripts are nobody's module in the browser, so what renders them may change and
 * nothing there would know. They are told when it last did, also as soon as they can hear, and load themselves anew.
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
