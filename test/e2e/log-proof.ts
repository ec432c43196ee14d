import { appendFileSync, createWriteStream } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Request } from "@playwright/test";
import type { TestServer } from "../server.ts";

/** The folder for a run's logs and the values they must not contain: `npm run soak -- logs` sets it. */
const FOLDER = process.env.LOG_PROOF;

/** Settings with which a server writes down all that it can. */
export const LOUD: Record<string, string> = FOLDER ? { LOG_LEVEL: "debug", LOG_SAMPLE: "1" } : {};

/** Keeps all that a server prints. */
export function keepLog({ child }: TestServer): void {
  if (!FOLDER) return;
  const file = createWriteStream(join(FOLDER, `${child.pid}.log`));
  child.stdout?.pipe(file);
  child.stderr?.pipe(file);
}

/** Collects everything private that a browser sends and receives: fields, cookies, tokens, links' secrets. */
export function watchSecrets(context: BrowserContext): { save(): Promise<void> } {
  if (!FOLDER) return { save: async () => {} };
  const found: Promise<string[]>[] = [];
  context.on("request", (request) => {
    found.push(secretsOf(request).catch(() => []));
  });
  return {
    async save() {
      const cookies = (await context.cookies()).map(({ value }) => value);
      const secrets = [...cookies, ...(await Promise.all(found)).flat()];
      const lines = secrets.map((secret) => `${JSON.stringify(secret)}\n`);
      appendFileSync(join(FOLDER, `${process.pid}.secrets`), lines.join(""));
    },
  };
}

async function secretsOf(request: Request): Promise<string[]> {
  const url = new URL(request.url());
  const { cookie = "", authorization = "" } = await request.allHeaders();
  return [
    ...url.searchParams.values(),
    ...fieldsOf(request.postData() ?? ""),
    ...cookie.split("; ").map((each) => each.slice(each.indexOf("=") + 1)),
    authorization.replace(/^bearer /i, ""),
  ];
}

/** The values of a form or of JSON, at any depth. */
function fieldsOf(body: string): string[] {
  if (body.startsWith("{")) return textsOf(JSON.parse(body));
  const multipart = [...body.matchAll(/name="[^"]*"\r\n\r\n(.*?)\r\n--/gs)].map(([, value = ""]) => value);
  return multipart.length > 0 ? multipart : [...new URLSearchParams(body).values()];
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(textsOf) : [];
}
