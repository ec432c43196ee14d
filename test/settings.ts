import { environment } from "../app/config/environment.server.ts";

/**
 * Takes the product's settings out of this process's environment. What a developer has set for their own site, in a
 * shell or an .env that their shell reads, must not change what the tests see, nor send mail by their server. Servers started from
 * here on hash passwords with less work (server.ts).
 */
export function forgetSettings(): void {
  for (const variable of Object.keys(environment.shape)) delete process.env[variable];
  process.env.HAS_QUICK_HASHES = "yes";
}
