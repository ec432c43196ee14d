import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One endpoint of the real Stripe, as the SDK knows it. */
interface StripeEndpoint {
  method: string;
  /** `/v1/products/search`; null when it contains ids. */
  fixedPath: string | null;
  /** Matches the paths of its requests. */
  path: RegExp;
  /** The SDK's types of the objects and parameters of this resource. */
  types: string;
}

/** `this._makeRequest('POST', `/v1/tax_rates/${encodeURIComponent(id)}`, …` in the SDK's sources */
const CALL = /_makeRequest\('([A-Z]+)', ['`]([^'`]+)['`]/g;

let known: StripeEndpoint[] | undefined;

/** Whether Stripe itself has this endpoint, although the sandbox does not. */
export function isAtStripe(method: string, path: string): boolean {
  return findAtStripe(method, path).length > 0;
}

/** Whether Stripe itself has an endpoint at just this path, without an id: what looks like one is none. */
export function isFixedAtStripe(method: string, path: string): boolean {
  return findAtStripe(method, path).some(({ fixedPath }) => fixedPath === path);
}

/** Whether Stripe itself has a parameter of this name somewhere in the resource; `name` is without brackets. */
export function hasParameterAtStripe(method: string, path: string, name: string): boolean {
  const declared = new RegExp(`^\\s*${RegExp.escape(name)}\\??: `, "m");
  return findAtStripe(method, path).some(({ types }) => declared.test(readFileSync(types, "utf8")));
}

function findAtStripe(method: string, path: string): StripeEndpoint[] {
  known ??= readSdk();
  return known.filter((endpoint) => endpoint.method === method && endpoint.path.test(path));
}

/** Read from the SDK's sources, once: every method of its resources names its URL, and nothing else lists them all. */
function readSdk(): StripeEndpoint[] {
  const resources = join(dirname(fileURLToPath(import.meta.resolve("stripe"))), "resources");
  return globSync("**/*.js", { cwd: resources }).flatMap((file) => {
    const source = readFileSync(join(resources, file), "utf8");
    const types = join(resources, file.replace(/\.js$/, ".d.ts"));
    return Array.from(source.matchAll(CALL), ([, method = "", path = ""]) => ({
      method,
      fixedPath: path.includes("$") ? null : path,
      path: new RegExp(
        `^${path
          .split(/\$\{[^}]*\}/)
          .map(RegExp.escape)
          .join("[^/]+")}$`,
      ),
      types,
    }));
  });
}
