import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { refuseForeign } from "../../own-requests.ts";

/** Stripe's API on a port of its own, for the SDK's options `host`, `port` and `protocol`, which allow no path. */
interface OwnPort {
  /** `http://127.0.0.1:3001` */
  origin: string;
  /** Ends it at once, with what is in progress. */
  close(): Promise<void>;
}

interface Options {
  /** 0: any. When it is in use: any, too, so that it keeps no site from starting. */
  port: number;
  /** Answers a request whose path starts with /v1 or /v2. */
  handleApi(request: Request): Promise<Response>;
  log: (message: string) => void;
}

/** Listens on loopback and nowhere else, whatever the site listens on. */
export async function openOwnPort({ port, handleApi, log }: Options): Promise<OwnPort> {
  const server = createServer(
    { keepAliveTimeout: 65_000 },
    // What fails on purpose is no news: see faults.ts.
    createRequestListener(async (request) => refuseForeign(request, []) ?? handleApi(request), {
      onError: () => undefined,
    }),
  );
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    await once(server.listen(0, "127.0.0.1"), "listening");
  }
  server.on("error", (error) => log(`Stripe sandbox: the socket of its API failed: ${String(error)}`));
  const { port: open } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${open}`,
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** In use, or not for this user, as those below 1024 are. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(EADDRINUSE|EACCES)$/.test(String(error.code));
}
