/** Adds the settings of .env to the environment. npm's scripts load it first; nothing else does, the tests least of all. */
import { existsSync } from "node:fs";

if (existsSync(".env")) process.loadEnvFile();
