import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { Pool } from "pg";
import type { Provider } from "../identity/identity.ts";
import { openIdentitySandbox } from "../identity/identity.ts";
import { createDatabase } from "./database.ts";

/** The origin browsers use; another one than the server asks, as behind a TLS proxy. */
export const SITE = "https://site.example";
export const ISSUER = `${SITE}/sandbox/identity/google`;

/** How the product is registered in these tests. */
const CLIENTS = {
  google: { clientId: "sandbox-google", clientSecret: "sandbox-google-secret" },
  facebook: { clientId: "sandbox-facebook", clientSecret: "sandbox-facebook-secret" },
};

const PATHS = {
  google: { authorize: "/google/authorize", token: "/google/token" },
  facebook: { authorize: "/facebook/dialog/oauth", token: "/facebook/oauth/access_token" },
};

type Fields = Record<string, string | undefined>;
export type TestIdentity = Awaited<ReturnType<typeof startTestIdentity>>;

/** A sandbox on a fresh database, with a product and a browser that use it by HTTP. */
export async function startTestIdentity() {
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url });
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const ending = new AbortController();
  const options = {
    pool,
    publicOrigin: SITE,
    redirectPrefix: `${SITE}/auth/callback/`,
    loopback: origin,
    clients: CLIENTS,
    ending: ending.signal,
    log,
  };
  const sandbox = await openIdentitySandbox(options);
  server.on("request", createRequestListener(sandbox.handle));

  function get(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${origin}/sandbox/identity${path}`, { redirect: "manual", ...init });
  }

  function post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
    return get(path, { method: "POST", body: form(fields), headers });
  }

  /** Opens a provider's account chooser; a parameter that is `undefined` is left out of the request. */
  function authorize(provider: Provider, changes: Fields = {}): Promise<Response> {
    return get(`${PATHS[provider].authorize}?${form({ ...requestOf(provider), ...changes })}`);
  }

  /** Goes through the chooser. @returns the response to the button that was pressed */
  async function choose(provider: Provider, pressed: Fields, changes: Fields = {}): Promise<Response> {
    const page = await (await authorize(provider, changes)).text();
    return post(`/${provider}/choose`, { request: requestIn(page), ...pressed });
  }

  /** Signs in. @returns the code */
  async function codeOf(
    provider: Provider,
    email = "ada@example.com",
    changes: Fields = {},
  ): Promise<string> {
    const { code } = answerIn(await choose(provider, { choice: email }, changes));
    if (!code) throw new Error("no code came");
    return code;
  }

  /** Exchanges a code as the product does, with the given changes. */
  function exchange(
    provider: Provider,
    code: string,
    changes: Fields = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const { clientId: client_id, clientSecret: client_secret } = CLIENTS[provider];
    const fields = {
      grant_type: "authorization_code",
      client_id,
      client_secret,
      code,
      redirect_uri: requestOf(provider).redirect_uri,
      code_verifier: provider === "google" ? VERIFIER : undefined,
    };
    return post(PATHS[provider].token, { ...fields, ...changes }, headers);
  }

  async function setKnobs(knobs: object): Promise<Response> {
    return get("/control", { method: "POST", body: JSON.stringify(knobs) });
  }

  async function close(): Promise<void> {
    ending.abort();
    server.closeAllConnections();
    await once(server.close(), "close");
    await pool.end();
    await database.drop();
  }

  return {
    origin,
    pool,
    options,
    ending,
    logged,
    get,
    post,
    authorize,
    choose,
    codeOf,
    exchange,
    setKnobs,
    close,
  };
}

export const VERIFIER = randomBytes(32).toString("base64url");

function requestOf(provider: Provider) {
  const request = {
    client_id: CLIENTS[provider].clientId,
    redirect_uri: `${SITE}/auth/callback/${provider}`,
    response_type: "code",
    state: "state of this browser",
  };
  if (provider === "facebook") return { ...request, scope: "email,public_profile" };
  return {
    ...request,
    scope: "openid email profile",
    nonce: "nonce of this browser",
    prompt: "select_account",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
  };
}

function form(fields: Fields): URLSearchParams {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(given);
}

export function requestIn(page: string): string {
  return /name="request" value="([^"]+)"/.exec(page)?.[1] ?? "";
}

/** The parameters of the redirect to the product's callback. */
export function answerIn(response: Response): Record<string, string> {
  const location = response.headers.get("location");
  return location ? Object.fromEntries(new URL(location).searchParams) : {};
}
