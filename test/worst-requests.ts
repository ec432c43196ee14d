import { appEntrances, sandboxEntrances } from "./entrances.ts";
import { asClient } from "./http.ts";
import type { TestServer } from "./server.ts";
import { createSignedInUsers } from "./users.ts";
import { getting, type Input, posting } from "./worst-inputs.ts";

/** Every entrance that takes input, and its worst inputs. */
export interface WorstRequests {
  method: string;
  path: string;
  inputs: Input[];
}

/** The names of the fields that the sandboxes read. */
const SANDBOX_NAMES = ["email", "name", "metadata", "customer", "request", "choice", "code", "redirect_uri"];

/** The worst inputs of every entrance, and a function that sends them as a signed-in user. */
export async function openWorstRequests(server: TestServer) {
  // Several users, so that limits by user are reached late.
  const cookies = (await createSignedInUsers(server.pool, 40)).map(({ cookie }) => cookie);
  // A hash of the usual form, so that it takes the usual path.
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

/** Names an entrance and its input, for a message. */
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

/** The names of a page's own fields and of common ones. */
async function fieldsOf(server: TestServer, path: string, cookie: string): Promise<string[]> {
  const page = await fetch(server.origin + path, { headers: { cookie, ...asClient() } });
  const names = [...(await page.text()).matchAll(/<(?:input|textarea|select|button)[^>]* name="(\w+)"/g)];
  return [...new Set([...names.map(([, name = ""]) => name), "email", "password", "id_token", "code"])];
}
