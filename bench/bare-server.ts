import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** The upper bound of node:http: one prepared response for every request. */
const [port, bodyFile = "", headersFile = ""] = process.argv.slice(2);
const body = readFileSync(bodyFile);
const headers: Record<string, string> | string[] = JSON.parse(readFileSync(headersFile, "utf8"));
createServer((_request, response) => {
  response.writeHead(200, headers).end(body);
}).listen(Number(port), "127.0.0.1");
