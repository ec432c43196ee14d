import type { ChildProcess } from "node:child_process";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";

export interface ProxyOptions {
  /** For generated files; contains fullchain.pem and privkey.pem. */
  folder: string;
  /** With TLS. */
  port: string;
  /** Without. */
  plainPort: string;
  /** The ports of the site's processes. */
  upstreams: readonly string[];
}

export interface RunningProxy {
  child: ChildProcess;
  readLog(): string;
}

export interface Answer {
  /** 0: no response; `body` has the reason. */
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request over TLS to the proxy, whatever its certificate. */
export function ask(
  port: string,
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    const options = {
      host: "localhost",
      port,
      path,
      method,
      agent: false,
      rejectUnauthorized: false,
    } as const;
    request(
      { ...options, headers: { "content-length": String(Buffer.byteLength(body)), ...headers } },
      (answer) => {
        let text = "";
        answer
          .setEncoding("latin1")
          .on("data", (chunk: string) => {
            text += chunk;
          })
          .on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
          .on("error", (error) => resolve({ status: 0, headers: {}, body: error.message }));
      },
    )
      .on("error", (error) => resolve({ status: 0, headers: {}, body: error.message }))
      .end(body);
  });
}
