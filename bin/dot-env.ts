/** Loads .env into the environment. Imported by npm's scripts only, so that tests never see its settings. */
import { existsSync } from "node:fs";

if (existsSync(".env")) process.loadEnvFile();
