import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";

const LARGEST_BYTES = 1024 * 1024;
/** How long a connection may go on after the end was called for, in milliseconds; pooled ones never end themselves. */
const CLOSE_MILLISECONDS = 50;

/**
 * Takes mail for anybody, from this machine only.
 *
 * @param keep is given a whole mail and whom it is for; what it throws is answered as "try again later"
 * @returns where it listens (smtp://127.0.0.1:port), and what ends it once all that came is kept
 */
export async function listenForMail(
  keep: (raw: Buffer, recipients: string[]) => Promise<void>,
  log: (message: string) => void,
): Promise<{ url: string; close(): Promise<void> }> {
  const keeping = new Set<Promise<void>>();
  const server = new SMTPServer({
    banner: "mailbox sandbox",
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    size: LARGEST_BYTES,
    // It says so itself, with 552, whatever becomes of what was read.
    rejectOversized: true,
    closeTimeout: CLOSE_MILLISECONDS,
    onData(stream, { envelope }, answer) {
      const recipients = envelope.rcptTo.map(({ address }) => address);
      const work = read(stream)
        .then((raw) => (raw ? keep(raw, recipients) : undefined))
        .then(
          () => answer(null, "kept"),
          (error: unknown) => {
            log(`Mailbox: a mail could not be kept: ${error instanceof Error ? error.name : typeof error}`);
            answer(Object.assign(new Error("could not be kept"), { responseCode: 451 }));
          },
        )
        .finally(() => keeping.delete(work));
      keeping.add(work);
    },
  });
  // A client that hangs up is no reason to end the process.
  server.on("error", (error) => log(`Mailbox: a connection failed: ${error.name}`));
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
      await Promise.all(keeping);
    },
  };
}

/** The whole mail, or `null` when it is more than is taken: nothing of that is held. */
async function read(stream: SMTPServerDataStream): Promise<Buffer | null> {
  let chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks = [];
    else chunks.push(chunk);
  }
  return stream.sizeExceeded ? null : Buffer.concat(chunks);
}
