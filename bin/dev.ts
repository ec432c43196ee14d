/** Runs the site from its sources, with hot reload: `npm run dev`. Production runs the build, `node build/server/index.js`. */
import { openDevelopmentSite } from "../app/development-site.server.ts";
import { serve } from "../app/serve.server.ts";

await serve(openDevelopmentSite, { isDev: true });
