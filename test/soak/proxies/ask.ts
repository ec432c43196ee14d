import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";

export interface Answer {
  /** 0: no response; `body` has the reason. */
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Options {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request over TLS to the proxy, whatever its certificate. */
export async function ask(
  port: string,
  path: string,
  { method = "GET", headers = {}, body = "" }: Options = {},
): Promise<Answer> {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const address = { host: "localhost", port, path, agent: false, rejectUnauthorized: false } as const;
  const asked = request({ ...address, method, headers: { ...length, ...headers } });
  // Also for errors after the answer has begun.
  asked.on("error", () => {}).end(body);
  try {
    const [answer]: IncomingMessage[] = await once(asked, "response");
    if (!answer) throw new Error("no answer");
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
  } catch (error) {
    return { status: 0, headers: {}, body: String(error) };
  }
}
