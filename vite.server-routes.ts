import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** How React Router's plugin asks for what a browser needs of a route. */
const CLIENT_ROUTE = "?__react-router-build-client-route";

/**
 * Builds nothing of the routes for browsers: no page loads React there, so bundling all of it would only take time and room.
 * What routes import for their address alone, such as style sheets, is emitted by the server's build.
 */
export function serverRoutes(): Plugin {
  return {
    name: "server-routes",
    apply: "build",
    enforce: "pre",
    applyToEnvironment: ({ name }) => name === "client",
    transform: {
      order: "post",
      handler: (_code, id) => (id.endsWith(CLIENT_ROUTE) ? { code: "export {};", map: null } : null),
    },
    // After Vite has listed them for React Router, which insists on one for each route.
    writeBundle: {
      order: "post",
      handler({ dir = "" }, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === "chunk" && file.code.trim() === "") rmSync(join(dir, file.fileName));
      },
    },
  };
}
