import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail server on loopback, on any free port or a given one. Misbehaves on request. */
export async function startSmtpServer(
  options: SMTPServerOptions,
  port = 0,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 1,
    onData: (stream, _session, done) => stream.resume().once("end", () => done()),
    ...options,
  });
  server.on("error", () => {});
  const listening = server.listen(port, "127.0.0.1");
  await once(listening, "listening");
  const address = listening.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
