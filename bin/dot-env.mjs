/** Loads .env into the environment. Imported by npm's scripts only, so that tests never see its settings. */
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";

if (existsSync(".env")) process.loadEnvFile();
// Here, because it comes before any other module: a tenth of the work of a start. A folder that cannot be written changes nothing.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/node"));
