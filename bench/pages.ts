import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { medianOf } from "../test/median.ts";
import { type Contender, requestsPerSecond, startContender, startSite, withFolder } from "./contender.ts";

/** The share of the throughput of a bare server with the same response that the site must reach. */
const LEAST_OF_BARE = 0.9;
/** The share of the throughput without counting views that it must reach with it: nothing one can measure. */
const LEAST_OF_UNCOUNTED = 0.97;
const ROUNDS = 31;
const ROUND_SECONDS = 1;

/** What a browser sends that says whether it is a view; the last is told apart by its value alone. */
const AS_BROWSER = [
  "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  "Referer: https://www.google.com/",
];
const COUNTED = [...AS_BROWSER, "Sec-Purpose: navigate"];
const NOT_COUNTED = [...AS_BROWSER, "Sec-Purpose: prefetch"];

/**
 * Compares serving the HTML of `/` in brotli with a bare node:http server writing the same bytes and nginx serving them
 * from disk; and the same of views that are counted with the same that are not. One process each, in alternating order, so that other load on the machine affects all alike; ratios are
 * taken within a round, and their median counts.
 *
 * @returns whether the site reaches its share of the bare server, and counting costs nothing
 */
export function run(): Promise<boolean> {
  return withFolder(compare);
}

async function compare(folder: string): Promise<boolean> {
  const contenders: Contender[] = [];
  try {
    const site = await startSite(folder);
    contenders.push(site);
    const { body, headers } = await fetchCompressed(site.url);
    writeFileSync(join(folder, "page.br"), body);
    writeFileSync(join(folder, "headers.json"), JSON.stringify(headers));
    contenders.push(
      await startBare(join(folder, "page.br")),
      await startBare(join(folder, "page.br"), join(folder, "headers.json")),
      await startNginx(folder),
      { ...site, headers: COUNTED, end: async () => {} },
      { ...site, headers: NOT_COUNTED, end: async () => {} },
    );
    for (const { url } of contenders) {
      if (!body.equals((await fetchCompressed(url)).body)) throw new Error(`${url} sends other bytes`);
    }
    console.log(
      `/ in brotli: ${body.byteLength} bytes. ${ROUNDS} rounds of ${ROUND_SECONDS} s each, in turn.`,
    );
    return report(await measure(contenders), contenders);
  } finally {
    for (const { end } of contenders) await end();
  }
}

async function measure(contenders: Contender[]): Promise<Map<Contender, number[]>> {
  const measured = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
  for (const contender of contenders) await requestsPerSecond(contender, 2);
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      measured.get(contender)?.push(await requestsPerSecond(contender, ROUND_SECONDS));
    }
  }
  return measured;
}

function report(
  measured: Map<Contender, number[]>,
  [site, bare, bareWithHeaders, nginx, counted, notCounted]: Contender[],
): boolean {
  const of = (contender: Contender | undefined) => (contender && measured.get(contender)) ?? [];
  const shareOf = (contender: Contender | undefined, share = site) =>
    medianOf(of(share).map((value, round) => value / (of(contender)[round] ?? Number.NaN)));
  const row = (name: string, contender: Contender | undefined) =>
    console.log(
      `${name.padEnd(36)} ${String(Math.round(medianOf(of(contender)))).padStart(8)} requests/s  ${shareOf(contender).toFixed(2)}`,
    );
  console.log(`${"".padEnd(45)} median      the site's share of it`);
  row("the site", site);
  row("bare node:http, the same answer", bareWithHeaders);
  row("bare node:http, three headers only", bare);
  row("nginx, same bytes from disk", nginx);
  row("the site, as browsers ask, counted", counted);
  row("the same, fetched ahead: not counted", notCounted);
  const isReached = shareOf(bareWithHeaders) >= LEAST_OF_BARE;
  console.log(
    `${isReached ? "reached" : "MISSED"}: at least ${LEAST_OF_BARE} of bare node:http sending the same answer`,
  );
  const cost = shareOf(notCounted, counted);
  const isFree = cost >= LEAST_OF_UNCOUNTED;
  console.log(
    `${isFree ? "reached" : "MISSED"}: counting views leaves ${cost.toFixed(3)} of the requests, at least ${LEAST_OF_UNCOUNTED}`,
  );
  return isReached && isFree;
}

/** @returns the body as sent and the headers of the site, names and values alternating */
async function fetchCompressed(url: string): Promise<{ body: Buffer; headers: string[] }> {
  // fetch would decode the body.
  const { default: http } = await import("node:http");
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers: { "Accept-Encoding": "br" } }, async (response) => {
        if (response.headers["content-encoding"] !== "br") reject(new Error(`${url} does not send brotli`));
        const headers = response.rawHeaders.flatMap((name, index, all) =>
          index % 2 === 0 && !/^(date|connection|keep-alive)$/i.test(name)
            ? [name, all[index + 1] ?? ""]
            : [],
        );
        resolve({ body: Buffer.concat(await response.toArray()), headers });
      })
      .on("error", reject);
  });
}

function startBare(...files: string[]): Promise<Contender> {
  return startContender((port) =>
    spawn(process.execPath, [join(import.meta.dirname, "bare-server.ts"), String(port), ...files], {
      stdio: "inherit",
    }),
  );
}

function startNginx(folder: string): Promise<Contender> {
  return startContender((port) => {
    writeFileSync(join(folder, "nginx.conf"), nginxConfig(folder, port));
    return spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"], {
      stdio: "inherit",
    });
  });
}

function nginxConfig(folder: string, port: number): string {
  return `
    user root;
    daemon off;
    worker_processes 1;
    pid ${folder}/nginx.pid;
    events { worker_connections 512; }
    http {
      access_log off;
      sendfile on;
      open_file_cache max=10;
      keepalive_requests 100000000;
      server {
        listen 127.0.0.1:${port};
        location = / {
          root ${folder};
          try_files /page.br =404;
          default_type "text/html; charset=utf-8";
          add_header Content-Encoding br;
        }
      }
    }`;
}
