import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, postForm } from "../test/http.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { get, type Person, signUp } from "../test/users.ts";
import { freePort } from "./db/embedded.server.ts";

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  events: { name: string; attributes: { key: string; value: { stringValue?: string } }[] }[];
}

const spans: SentSpan[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const sent = JSON.parse(String(Buffer.concat(chunks)));
    if (request.url === "/v1/traces")
      for (const { scopeSpans } of sent.resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
});

let server: TestServer;
let person: Person;
let logged = "";
let scrape: () => Promise<string>;

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const port = String(await freePort());
  server = await startServer({
    LOG_LEVEL: "debug",
    LOG_SAMPLE: "2",
    METRICS_PORT: port,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  });
  server.child.stdout?.on("data", (chunk) => {
    logged += chunk;
  });
  scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  person = await signUp(server);
});

afterAll(async () => {
  await server.stop();
  collector.close();
});

interface Line {
  level: string;
  msg: string;
  id?: string;
  route?: string;
  [field: string]: unknown;
}

const lines = () =>
  logged
    .split("\n")
    .flatMap((line): Line[] => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line)] : []));

const findLine = (matches: (line: Line) => boolean) =>
  eventually(async () => lines().find(matches), "it is in the log");

test("a request is one line: its route, what became of it and whose it was, without what only they should know", async () => {
  expect((await get(server, "/admin/people/secret-of-theirs?token=hush", person.cookie)).status).toBe(404);
  const line = await findLine(({ route }) => route === "/admin/people/:id");
  expect(line).toEqual({
    level: "info",
    time: expect.any(String),
    pid: expect.any(Number),
    hostname: expect.any(String),
    ...{
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      method: "GET",
      route: "/admin/people/:id",
      status: 404,
    },
    ms: expect.any(Number),
    actor: person.id,
    msg: "request",
  });
  expect(logged).not.toMatch(/secret-of-theirs|hush/);
});

test("one id leads from the error page to the log and to the trace, and to nothing that was typed", async () => {
  await server.pool.query("ALTER TABLE passkeys RENAME TO passkeys_away");
  const page = await get(server, "/account/second-factor?secret=hush", person.cookie);
  await server.pool.query("ALTER TABLE passkeys_away RENAME TO passkeys");
  const id = page.headers.get("x-request-id") ?? "";
  expect(page.status).toBe(500);
  expect(await page.text()).toContain(`quote this number: ${id}`);

  const line = await findLine((each) => each.id === id && each.msg === "request");
  expect(line).toMatchObject({ route: "/account/second-factor", status: 500, actor: person.id });
  const error = await findLine((each) => each.id === id && each.level === "error");
  expect(error).toMatchObject({ msg: "Unexpected Application Error!", route: "/account/second-factor" });

  await eventually(
    async () => spans.some(({ traceId, parentSpanId }) => traceId === id && !parentSpanId),
    "it was sent",
  );
  const trace = spans.filter(({ traceId }) => traceId === id);
  const root = trace.find(({ parentSpanId }) => !parentSpanId);
  expect(root?.name).toBe("GET /account/second-factor");
  expect(JSON.stringify(root?.events)).toContain("passkey");
  const query = trace.find(({ name }) => name === "db select");
  expect(query?.parentSpanId).toBe(root?.spanId);
  expect(JSON.stringify(query)).toContain("$1");
  for (const secret of ["hush", person.cookie.split("=")[1] ?? "", person.email, "scrypt"])
    expect(JSON.stringify(spans)).not.toContain(secret);
});

test("what happened is a line with ids, and is counted", async () => {
  const signedUp = await findLine(({ event }) => event === "signed_up");
  expect(signedUp).toMatchObject({ level: "info", msg: "event", userId: person.id });
  await postForm(server, "/test-promo", { code: "NO-SUCH-CODE", intent: "redeem" }, person.cookie);
  await fetch(`${server.origin}/webhooks/stripe`, { method: "POST", body: "{}" });
  await get(server, "/faq");
  await get(server, "/faq");
  const text = await scrape();
  expect(numberOf(text, 'business_events_total{event="signed_up"}')).toBe(1);
  expect(numberOf(text, 'promo_redemptions_total{result="refused"}')).toBe(1);
  expect(numberOf(text, 'stripe_webhooks_total{result="bad_signature"}')).toBe(1);
  expect(numberOf(text, 'http_requests_total{method="GET",route="/faq",status="200"}')).toBe(2);
  expect(numberOf(text, 'log_lines_total{level="error"}')).toBeGreaterThan(0);
  expect(numberOf(text, 'jobs_total{kind="send_mail",outcome="done"}')).toBe(1);
  expect(numberOf(text, 'mail_deliveries_total{outcome="sent"}')).toBe(1);
  expect(numberOf(text, 'stripe_requests_total{outcome="2xx"}')).toBeGreaterThan(0);
  // Of pages from memory one in LOG_SAMPLE.
  expect(lines().filter(({ route }) => route === "/faq").length).toBe(1);
});

test("a job is a trace of its own", async () => {
  await eventually(async () => spans.some(({ name }) => name === "job send_mail"), "it was sent");
  const job = spans.find(({ name }) => name === "job send_mail");
  const steps = spans.filter(({ parentSpanId }) => parentSpanId === job?.spanId).map(({ name }) => name);
  expect(steps).toContain("mail send");
});

test("made-up paths and methods share one label, so that strangers cannot fill them", async () => {
  for (let at = 0; at < 50; at++) await get(server, `/nowhere-${at}/${at}`);
  await fetch(`${server.origin}/nowhere`, { method: "PROPFIND" });
  const text = await scrape();
  expect(numberOf(text, 'http_requests_total{method="GET",route="(not found)",status="404"}')).toBe(50);
  expect(text).not.toMatch(/nowhere|PROPFIND/);
});

function numberOf(text: string, series: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}
