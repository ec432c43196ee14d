import type { AddressInfo } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { openSockets } from "../../../app/http/sockets.server.ts";
import { refuseForeign } from "../../own-requests.ts";

/** Stripe's API on a port of its own, for the SDK's options `host`, `port` and `protocol`, which allow no path. */
export interface OwnPort {
  /** `http://127.0.0.1:3001` */
  origin: string;
  /** Ends it at once, with what is in progress. */
  close(): Promise<void>;
}

interface Options {
  /** Where it listens; 0: anywhere. When it is in use: anywhere, too, since nobody should be kept from starting the site. */
  port: number;
  /** Answers a request whose path starts with /v1 or /v2. */
  handleApi(request: Request): Promise<Response>;
  log: (message: string) => void;
}

/** Listens on loopback and nowhere else, whatever the site listens on. */
export async function openOwnPort({ port, handleApi, log }: Options): Promise<OwnPort> {
  const onError = (error: Error) => log(`Stripe sandbox: the socket of its API failed: ${String(error)}`);
  let sockets = openSockets(onError);
  try {
    await sockets.listen(port, ["127.0.0.1"]);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    sockets = openSockets(onError);
    await sockets.listen(0, ["127.0.0.1"]);
  }
  // What fails on purpose is no news: see faults.ts.
  sockets.answerWith(
    createRequestListener(async (request) => refuseForeign(request, []) ?? handleApi(request), {
      onError: () => undefined,
    }),
  );
  const address = sockets.server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${address.port}`, close: () => sockets.close(0) };
}

/** In use, or not for this user, as those below 1024 are. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(EADDRINUSE|EACCES)$/.test(String(error.code));
}
