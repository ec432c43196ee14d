import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { createRequestListener } from "@remix-run/node-fetch-server";
import pg from "pg";
import { openSandboxes } from "./sandbox.ts";

const HELP = `Starts stand-ins for Stripe, for sign-in with Google and Facebook, and for a mail server.

  ownwords-sandbox --database postgres://… [--site http://localhost:3000] [--port 4010]

  --database  where they keep their state, each in a schema of its own (default: DATABASE_URL)
  --site      your site, to which sign-in leads back (default: http://localhost:3000)
  --webhook   where Stripe's events are sent (default: <site>/webhooks/stripe)
  --port      of the pages; Stripe's API is on the next one, SMTP on the one after that (default: 4010)`;

const { values } = parseArgs({
  options: {
    database: { type: "string", default: process.env.DATABASE_URL ?? "" },
    site: { type: "string", default: "http://localhost:3000" },
    webhook: { type: "string" },
    port: { type: "string", default: "4010" },
    help: { type: "boolean", default: false },
  },
});
if (values.help || !values.database) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const site = new URL(values.site).origin;
const port = Number(values.port);
const ending = new AbortController();
const pool = new pg.Pool({ connectionString: values.database });
const sandboxes = await openSandboxes({
  pool,
  publicOrigin: `http://localhost:${port}`,
  loopback: `http://127.0.0.1:${port}`,
  redirectPrefix: `${site}/`,
  stripe: {
    secretKey: "sk_test_sandbox",
    webhookSecret: "whsec_sandbox",
    webhookUrl: values.webhook ?? `${site}/webhooks/stripe`,
    port: port + 1,
    plans: [],
  },
  clients: {
    google: { clientId: "sandbox-google", clientSecret: "sandbox-google-secret" },
    facebook: { clientId: "sandbox-facebook", clientSecret: "sandbox-facebook-secret" },
  },
  mail: { port: port + 2 },
  ending: ending.signal,
  log: (message) => console.log(message),
});
const server = createServer(createRequestListener(sandboxes.handle, { onError: () => undefined }));
server.listen(port, "127.0.0.1", () => {
  sandboxes.start();
  console.log(`Pages    http://localhost:${port}/sandbox/mail
Stripe   ${sandboxes.stripeOrigin} with the key sk_test_sandbox, events signed with whsec_sandbox
Google   ${sandboxes.identityEndpoints?.google.issuer} as sandbox-google, secret sandbox-google-secret
Facebook ${sandboxes.identityEndpoints?.facebook.issuer} as sandbox-facebook, secret sandbox-facebook-secret
SMTP     ${sandboxes.smtpUrl}
ready`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);

async function end(): Promise<void> {
  ending.abort();
  server.closeAllConnections();
  server.close();
  await sandboxes.close();
  await pool.end();
}
