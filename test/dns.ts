import { createSocket } from "node:dgram";
import { once } from "node:events";

/** Of RFC 1035: a TXT record, and that a name does not exist. */
const TXT = 16;
const NO_SUCH_NAME = 3;

/**
 * A name server on loopback that knows these TXT records and nothing else.
 *
 * @returns its address, as a resolver's `setServers` takes it
 */
export async function startNameServer(
  records: Record<string, string[]>,
): Promise<{ address: string; close(): void }> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => socket.send(answer(query, records), port, address));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

function answer(query: Buffer, records: Record<string, string[]>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const question = query.subarray(12, at + 5);
  const texts = records[labels.join(".").toLowerCase()];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (texts ? 0 : NO_SUCH_NAME), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(texts?.length ?? 0, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question, ...(texts ?? []).map(recordOf)]);
}

/** A TXT record of the name that was asked for: its type, class, life and text. */
function recordOf(text: string): Buffer {
  const fields = Buffer.from([0xc0, 12, 0, TXT, 0, 1, 0, 0, 0, 1, 0, text.length + 1, text.length]);
  return Buffer.concat([fields, Buffer.from(text, "latin1")]);
}
