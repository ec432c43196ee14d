import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** The upper bound of node:http: one prepared response for every request. */
const [port, file = "", headersFile] = process.argv.slice(2);
const body = readFileSync(file);
const headers: Record<string, string> | string[] = headersFile
  ? JSON.parse(readFileSync(headersFile, "utf8"))
  : {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Encoding": "br",
      "Content-Length": String(body.byteLength),
    };
createServer((_request, response) => {
  response.writeHead(200, headers).end(body);
}).listen(Number(port), "127.0.0.1");
