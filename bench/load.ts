import { Agent, request as send } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What is sent, without its address. */
export interface Sent {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The only status that is right. */
  status: number;
}

export interface Load {
  /** How many were answered. */
  answered: number;
  seconds: number;
  /** Of the answers, headers included. */
  bytes: number;
  /** Milliseconds of each from the moment it was due, in the order of the answers. */
  waits: number[];
}

type Next = (index: number) => Sent;

/** Keeps so many requests under way for some seconds: as many answers as there can be. @throws on a wrong answer */
export async function closedLoad(
  origins: readonly string[],
  next: Next,
  atOnce: number,
  seconds: number,
): Promise<Load> {
  const client = openClient(origins, next);
  const work = closedWork(atOnce, seconds, () => client.ask(performance.now())).finally(client.close);
  const done = await work;
  return { ...client.load, ...done };
}

/** Does something for some seconds, so many at once, each again as soon as it is done. */
async function closedWork(
  atOnce: number,
  seconds: number,
  work: () => Promise<void>,
): Promise<Pick<Load, "answered" | "seconds">> {
  const begun = performance.now();
  let answered = 0;
  const caller = async () => {
    while (performance.now() < begun + seconds * 1000) {
      await work();
      answered++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return { answered, seconds: (performance.now() - begun) / 1000 };
}

/**
 * Sends requests at these moments (in milliseconds from now), whether or not earlier ones were answered, as people do. Waits count
 * from when a request was due: a client that is held up by the server would otherwise leave out the worst.
 *
 * @throws on a wrong answer
 */
export async function openLoad(
  origins: readonly string[],
  next: Next,
  moments: readonly number[],
): Promise<Load> {
  const client = openClient(origins, next);
  const begun = performance.now();
  const asked: Promise<void>[] = [];
  for (const moment of moments) {
    const due = begun + moment;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const asking = client.ask(due);
    // Looked at when all are under way.
    asking.catch(() => {});
    asked.push(asking);
  }
  await Promise.all(asked).finally(client.close);
  return { ...client.load, seconds: (performance.now() - begun) / 1000 };
}

function openClient(origins: readonly string[], next: Next) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const load = { answered: 0, bytes: 0, waits: [] as number[] };
  let index = 0;
  return {
    load,
    close: () => agent.destroy(),
    async ask(due: number) {
      const at = index++;
      const bytes = await ask(origins[at % origins.length] ?? "", next(at), agent);
      load.bytes += bytes;
      load.waits.push(performance.now() - due);
      load.answered++;
    },
  };
}

/** @returns the bytes of the answer, headers included */
function ask(origin: string, { method, path, headers, body, status }: Sent, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = send(origin + path, { method, headers, agent }, (response) => {
      let bytes = response.rawHeaders.reduce((sum, each) => sum + each.length + 2, 17);
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === status) resolve(bytes);
        else reject(new Error(`${method} ${path} was answered with ${response.statusCode}, not ${status}`));
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
