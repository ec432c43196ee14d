import { readFileSync } from "node:fs";
import { join } from "node:path";
import { IDENTITY_ROUTES, STRIPE_ENDPOINTS } from "@ownwords/sandbox/testing";
import type { RouteConfigEntry } from "@react-router/dev/routes";
import routes from "../app/routes.ts";

/** An endpoint that takes requests. */
export interface Entrance {
  method: string;
  path: string;
  /** Required headers. */
  headers?: Record<string, string>;
}

/** Sample values for path parameters. A route with a new parameter adds one here. */
const PARAMETERS = new Map([
  [":provider", "google"],
  [":name", "createCheckoutSession"],
  [":id", "cus_1"],
  [":invitation", "d7e5c1a0-0000-4000-8000-000000000000"],
  [":message", "message_1"],
  [":mail", "1"],
  [":entry", "5c1e7a52-0000-4000-8000-000000000000"],
  [":post", "what-ownwords-is"],
  [":version", "0b1f4c1e-0000-4000-8000-000000000000"],
  [":template", "welcomeMessage"],
  [":code", "WELCOME"],
  [":batch", "9b2e6f0a-0000-4000-8000-000000000000"],
  ["*", "nowhere"],
]);

/** A path of routes.ts, with its parameters, and its module. */
export interface RouteFile {
  path: string;
  file: string;
  /** The id in React Router's own requests. */
  id: string;
}

/** Every path of routes.ts, at any depth, in order. */
export function routeFiles(entries: readonly RouteConfigEntry[] = routes, above = ""): RouteFile[] {
  return entries.flatMap(({ path = "", file, id = file.replace(/\.tsx?$/, ""), children = [] }) => {
    const whole = [above, path].filter(Boolean).join("/");
    return children.length > 0 ? routeFiles(children, whole) : [{ path: `/${whole}`, file, id }];
  });
}

/** Every path of routes.ts, with its parameters filled in. */
export const appPaths = (): string[] => routeFiles().map(({ path }) => withParameters(path));

/** The paths that render a page. */
export const pagePaths = (): string[] =>
  routeFiles()
    .filter(({ file }) => /^export default function/m.test(sourceOf(file)))
    .map(({ path }) => withParameters(path));

/**
 * Every route of routes.ts with the methods its module handles.
 *
 * @throws for a module that exports neither a page, a loader nor an action
 */
export function appEntrances(): Entrance[] {
  return routeFiles().flatMap(({ path, file }) =>
    methodsOf(file).map((method) => ({ method, path: withParameters(path) })),
  );
}

/** The sandboxes' endpoints. */
export function sandboxEntrances(): Entrance[] {
  const headers = { authorization: "Bearer sk_test_sandbox" };
  return [
    ...STRIPE_ENDPOINTS.map(([method, path]) => ({
      method,
      path: withParameters(`/sandbox/stripe${path}`),
      headers,
    })),
    ...IDENTITY_ROUTES.flatMap(([path, methods]) =>
      methods.map((method) => ({ method, path: `/sandbox/identity${path}` })),
    ),
    ...["/sandbox/mail", "/sandbox/mail.json", "/sandbox/mail/1"].map((path) => ({ method: "GET", path })),
    ...["checkout/cs_1", "invoice/in_1", "authenticate/pi_1", "portal/bps_1/card"].map((page) => ({
      method: "GET",
      path: `/sandbox/stripe/${page}`,
    })),
    ...[
      ...["control", "control/clocks", "control/disputes"],
      ...["checkout/cs_1/pay", "invoice/in_1/pay", "authenticate/pi_1", "portal/bps_1/details"],
    ].map((path) => ({ method: "POST", path: `/sandbox/stripe/${path}` })),
  ];
}

const sourceOf = (file: string) => readFileSync(join(import.meta.dirname, "../app", file), "utf8");

function methodsOf(file: string): string[] {
  const source = sourceOf(file);
  const has = (name: string) =>
    new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, "m").test(source);
  const methods = [
    ...(has("loader") || /^export default/m.test(source) ? ["GET"] : []),
    ...(has("action") ? ["POST"] : []),
  ];
  if (methods.length === 0) throw new Error(`${file} exports neither a page, a loader nor an action`);
  return methods;
}

/** Fills in the parameters of a path. */
export function withParameters(path: string): string {
  return path
    .split("/")
    .map((part) => {
      if (!/^[:*]/.test(part)) return part;
      const value = PARAMETERS.get(part);
      if (!value) throw new Error(`say in PARAMETERS what stands for ${part} of ${path}`);
      return value;
    })
    .join("/");
}
