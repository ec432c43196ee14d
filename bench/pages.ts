import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { medianOf } from "../test/median.ts";
import { type Contender, requestsPerSecond, startContender, startSite, withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";
import { measureLoad } from "./pages-load.ts";

/** The share of the throughput of a bare server with the same response that the site must reach. */
const LEAST_OF_BARE = 0.8;
/** The share of the throughput without counting views that it must reach with it: nothing one can measure. */
const LEAST_OF_UNCOUNTED = 0.97;
/** Another page, of another length. */
const OTHER_PAGE = "pricing";
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
 * Compares serving the HTML of `/` and `/pricing` in brotli with a bare node:http server writing the same bytes, `/` also with nginx
 * serving them from disk, and views that are counted with the same that are not. One process each, in alternating order, so that other
 * load on the machine affects all alike; ratios are taken within a round, and their median counts.
 */
export async function run(): Promise<Figure[]> {
  return withFolder(async (folder) => [
    ...(await compare(folder)),
    ...(await measureLoad(() => startBare(join(folder, "page.br"), join(folder, "page.json")))),
  ]);
}

async function compare(folder: string): Promise<Figure[]> {
  const contenders: Contender[] = [];
  try {
    const site = await startSite(folder);
    contenders.push(site);
    const other = { ...site, url: site.url + OTHER_PAGE, end: async () => {} };
    const [answer, otherAnswer] = [
      await keep(site.url, folder, "page"),
      await keep(other.url, folder, "other"),
    ];
    // One by one: those that run are ended when the next cannot be started.
    contenders.push(await startBare(join(folder, "page.br")));
    contenders.push(await startBare(join(folder, "page.br"), join(folder, "page.json")));
    contenders.push(await startNginx(folder));
    contenders.push({ ...site, headers: COUNTED, end: async () => {} });
    contenders.push({ ...site, headers: NOT_COUNTED, end: async () => {} });
    for (const { url } of contenders) await mustSend(url, answer);
    contenders.push(other);
    contenders.push(await startBare(join(folder, "other.br"), join(folder, "other.json")));
    for (const { url } of contenders.slice(-2)) await mustSend(url, otherAnswer);
    console.log(
      `in brotli, / has ${answer.byteLength} bytes. ${ROUNDS} rounds of ${ROUND_SECONDS} s each, in turn.`,
    );
    return report(await measure(contenders), contenders);
  } finally {
    for (const { end } of contenders) await end();
  }
}

/** Writes what the site sends into the folder, for the others to send. @returns the body */
async function keep(url: string, folder: string, name: string): Promise<Buffer> {
  const { body, headers } = await fetchCompressed(url);
  writeFileSync(join(folder, `${name}.br`), body);
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(headers));
  return body;
}

async function mustSend(url: string, expected: Buffer): Promise<void> {
  if (!expected.equals((await fetchCompressed(url)).body)) throw new Error(`${url} sends other bytes`);
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
  [site, bare, bareWithHeaders, nginx, counted, notCounted, other, otherBare]: Contender[],
): Figure[] {
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
  row("the site, /pricing", other);
  row("bare node:http, the same answer", otherBare);
  return [
    { name: "/ of bare node:http", value: shareOf(bareWithHeaders), limit: { least: LEAST_OF_BARE } },
    { name: "/pricing of bare node:http", value: shareOf(otherBare, other), limit: { least: LEAST_OF_BARE } },
    {
      name: "counting views, of not counting them",
      value: shareOf(notCounted, counted),
      limit: { least: LEAST_OF_UNCOUNTED },
    },
  ].map((figure) => ({ ...figure, unit: "×" }));
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
