import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";

const LARGEST_BYTES = 1024 * 1024;
/** How long connections may stay open once it is closed, in milliseconds; pooled ones never end by themselves. */
const CLOSE_MILLISECONDS = 50;

/**
 * Takes mail for any recipient, from this machine only.
 *
 * @param store is given a whole mail and its recipients; when it throws, the client is told to try again later
 * @returns where it listens (smtp://127.0.0.1:port), and `close`, which resolves when all that came is stored
 */
export async function listenForMail(
  store: (raw: Buffer, recipients: string[]) => Promise<void>,
  log: (message: string) => void,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const storing = new Set<Promise<void>>();
  const server = new SMTPServer({
    banner: "mailbox sandbox",
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    size: LARGEST_BYTES,
    // The server itself answers 552, whatever is done with what was read.
    rejectOversized: true,
    closeTimeout: CLOSE_MILLISECONDS,
    onData(stream, { envelope }, answer) {
      const recipients = envelope.rcptTo.map(({ address }) => address);
      const work = read(stream)
        .then((raw) => (raw ? store(raw, recipients) : undefined))
        .then(
          () => answer(null, "stored"),
          (error: unknown) => {
            log(`Mailbox: a mail could not be kept: ${error instanceof Error ? error.name : typeof error}`);
            answer(Object.assign(new Error("could not be kept"), { responseCode: 451 }));
          },
        )
        .finally(() => storing.delete(work));
      storing.add(work);
    },
  });
  // Without a listener a client that hangs up would end the process.
  server.on("error", (error) => log(`Mailbox: a connection failed: ${error.name}`));
  const listening = server.listen(port, "127.0.0.1");
  await once(listening, "listening");
  const { port: open } = listening.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${open}`,
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
      await Promise.all(storing);
    },
  };
}

/** The whole mail, or `null` when it is too large: nothing of that is kept in memory. */
async function read(stream: SMTPServerDataStream): Promise<Buffer | null> {
  let chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks = [];
    else chunks.push(chunk);
  }
  return stream.sizeExceeded ? null : Buffer.concat(chunks);
}
