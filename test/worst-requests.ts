import { appEntrances, sandboxEntrances } from "./entrances.ts";
import { asClient } from "./http.ts";
import type { TestServer } from "./server.ts";
import { createSignedInUsers } from "./users.ts";
import { getting, type Input, posting } from "./worst-inputs.ts";

/** Every place that takes input, and what it can be sent. */
export interface WorstRequests {
  method: string;
  path: string;
  inputs: Input[];
}

/** Of the fields the sandboxes read. */
const SANDBOX_NAMES = ["email", "name", "metadata", "customer", "request", "choice", "code", "redirect_uri"];

/** The worst every entrance of the site can be sent, and what sends it as somebody signed in. */
export async function openWorstRequests(server: TestServer) {
  // More than one, so that limits by user are reached late.
  const cookies = (await createSignedInUsers(server.pool, 40)).map(({ cookie }) => cookie);
  // Of the shape of a real one, so that it is worked on like a real one.
  await server.pool.query("UPDATE account SET password = $1", [`${"0".repeat(32)}:${"0".repeat(128)}`]);
  let sent = 0;
  return {
    requests: await requestsTo(server, cookies[0] ?? ""),
    /** @returns the status of the answer */
    async send({ method, path, headers, body }: Input): Promise<number> {
      const cookie = cookies[sent++ % cookies.length] ?? "";
      const response = await fetch(server.origin + path, {
        method,
        body: method === "GET" ? undefined : body,
        redirect: "manual",
        headers: { origin: server.origin, cookie, ...asClient(), ...headers },
      });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

/** Which of an entrance's inputs it was, for a message. */
export function describeInput({ method, path, headers, body }: Input): string {
  return `${method} ${JSON.stringify(headers ?? {}).slice(0, 80)} ${(body ?? path).slice(0, 80)}`;
}

async function requestsTo(server: TestServer, cookie: string): Promise<WorstRequests[]> {
  const names = new Map<string, string[]>();
  for (const { path } of appEntrances())
    if (!names.has(path)) names.set(path, await fieldsOf(server, path, cookie));
  return [...appEntrances(), ...sandboxEntrances()].map(({ method, path, headers = {} }) => ({
    method,
    path,
    inputs: (method === "GET" ? getting(path) : posting(method, path, names.get(path) ?? SANDBOX_NAMES)).map(
      (input) => ({ ...input, headers: { ...input.headers, ...headers } }),
    ),
  }));
}

/** The names of the fields on a page, its own and those of most others. */
async function fieldsOf(server: TestServer, path: string, cookie: string): Promise<string[]> {
  const page = await fetch(server.origin + path, { headers: { cookie, ...asClient() } });
  const names = [...(await page.text()).matchAll(/<(?:input|textarea|select|button)[^>]* name="(\w+)"/g)];
  return [...new Set([...names.map(([, name = ""]) => name), "email", "password", "id_token", "code"])];
}
