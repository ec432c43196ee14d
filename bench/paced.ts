import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks a server for a page so many times a second, whether answers come or not, and prints what the slowest hundredth waited at
 * least, in milliseconds, from the moment each request was due: a server that stops for a moment is late for all that were due
 * meanwhile (coordinated omission). A process of its own, which does nothing else and has warmed up: what it is late itself
 * counts against the server.
 *
 * `node bench/paced.ts http://127.0.0.1:3000/ 20000`
 */
const [address = "", rate = ""] = process.argv.slice(2);
const perMillisecond = Number(rate) / 1000;
const { hostname, port, host, pathname } = new URL(address);
const REQUEST = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: br\r\n\r\n`;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 1;
const SECONDS = 2;
/** Between two bundles of requests, in milliseconds. */
const TICK = 1;
/** In which what is under way is answered; after it, what has not been is late by as much. */
const LAST_ANSWERS_MILLISECONDS = 500;

let waits: number[] = [];
/** Of an answer in bytes, headers included: each time the same, since nothing in it but the second changes. */
let length = Number.POSITIVE_INFINITY;

const connections = await Promise.all(Array.from({ length: CONNECTIONS }, openConnection));
length = (await connections[0]?.measureAnswer()) ?? length;
await ask(WARM_UP_SECONDS);
waits = [];
const asked = await ask(SECONDS);
for (const { end } of connections) end();
if (waits.length !== asked) throw new Error(`of ${asked} requests, ${waits.length} have a time`);
waits.sort((one, other) => one - other);
console.log(waits[Math.ceil(waits.length * 0.99) - 1]);

/** @returns how many requests were sent */
async function ask(seconds: number): Promise<number> {
  const begun = performance.now();
  let sent = 0;
  for (let now = begun; now < begun + seconds * 1000; now = performance.now()) {
    for (; sent < (now - begun) * perMillisecond; sent++)
      connections[sent % CONNECTIONS]?.ask(begun + sent / perMillisecond);
    await sleep(TICK);
  }
  await sleep(LAST_ANSWERS_MILLISECONDS);
  return sent;
}

function openConnection() {
  const due: number[] = [];
  let bytes = 0;
  const socket = connect({
    ...{ host: hostname, port: Number(port), noDelay: true },
    // Read into the same memory again and again, because what it held is not looked at.
    onread: {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback(read: number) {
        bytes += read;
        for (; bytes >= length; bytes -= length) waits.push(performance.now() - (due.shift() ?? Number.NaN));
        return true;
      },
    },
  });
  const connection = {
    ask(at: number) {
      due.push(at);
      socket.write(REQUEST);
    },
    async measureAnswer() {
      socket.write(REQUEST);
      await sleep(LAST_ANSWERS_MILLISECONDS);
      const once = bytes;
      socket.write(REQUEST);
      await sleep(LAST_ANSWERS_MILLISECONDS);
      if (once === 0 || bytes !== 2 * once)
        throw new Error(`two answers have ${once} and ${bytes - once} bytes`);
      bytes = 0;
      return once;
    },
    end() {
      for (const at of due) waits.push(performance.now() - at);
      socket.destroy();
    },
  };
  return new Promise<typeof connection>((resolve, reject) => {
    socket.once("connect", () => resolve(connection)).once("error", reject);
  });
}
