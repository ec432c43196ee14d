import { openDevelopmentSite } from "../app/development-site.server.ts";
import { serve } from "../app/serve.server.ts";

/** `npm run dev`: the site from its sources. Elsewhere `node build/server/index.js` runs the build. */
await serve(openDevelopmentSite, { isDev: true });
