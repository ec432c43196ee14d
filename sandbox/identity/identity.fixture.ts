import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { Pool } from "pg";
import { createDatabase } from "../../test/database.ts";
import { type Face, identityClients } from "./clients.ts";
import { createIdentitySandbox } from "./identity.ts";

/** What browsers see; another origin than the one the server asks, as behind a TLS proxy. */
export const SITE = "https://site.example";
export const ISSUER = `${SITE}/sandbox/identity/google`;

const paths = {
  google: { authorize: "/google/authorize", token: "/google/token" },
  facebook: { authorize: "/facebook/dialog/oauth", token: "/facebook/oauth/access_token" },
};

type Fields = Record<string, string | undefined>;
export type TestIdentity = Awaited<ReturnType<typeof startTestIdentity>>;

/** A sandbox on a database of its own, and a product and its browser to go through it by HTTP. */
export async function startTestIdentity() {
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url });
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const options = { pool, publicOrigin: SITE, loopback: origin, clients: identityClients, log };
  const sandbox = await createIdentitySandbox(options);
  server.on("request", createRequestListener(sandbox.handle));

  function get(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${origin}/sandbox/identity${path}`, { redirect: "manual", ...init });
  }

  function post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
    return get(path, { method: "POST", body: form(fields), headers });
  }

  /** Opens a face's first page; what is `undefined` is left out of what the product asks. */
  function authorize(face: Face, changes: Fields = {}): Promise<Response> {
    return get(`${paths[face].authorize}?${form({ ...askedOf(face), ...changes })}`);
  }

  /** Goes through the chooser. @returns the answer to the button that was pressed */
  async function choose(face: Face, pressed: Fields, changes: Fields = {}): Promise<Response> {
    const page = await (await authorize(face, changes)).text();
    return post(`/${face}/choose`, { request: requestIn(page), ...pressed });
  }

  /** Signs in. @returns the code */
  async function codeOf(face: Face, email = "ada@example.com", changes: Fields = {}): Promise<string> {
    const { code } = answerIn(await choose(face, { choice: email }, changes));
    if (!code) throw new Error("no code came");
    return code;
  }

  /** Exchanges a code as the product does, or a little otherwise. */
  function exchange(
    face: Face,
    code: string,
    changes: Fields = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const { clientId: client_id, clientSecret: client_secret } = identityClients[face];
    const fields = {
      grant_type: "authorization_code",
      client_id,
      client_secret,
      code,
      redirect_uri: askedOf(face).redirect_uri,
      code_verifier: face === "google" ? VERIFIER : undefined,
    };
    return post(paths[face].token, { ...fields, ...changes }, headers);
  }

  async function turn(knobs: object): Promise<Response> {
    return get("/control", { method: "POST", body: JSON.stringify(knobs) });
  }

  async function close(): Promise<void> {
    await sandbox.close();
    server.closeAllConnections();
    await once(server.close(), "close");
    await pool.end();
    await database.drop();
  }

  return {
    origin,
    pool,
    options,
    sandbox,
    logged,
    get,
    post,
    authorize,
    choose,
    codeOf,
    exchange,
    turn,
    close,
  };
}

export const VERIFIER = randomBytes(32).toString("base64url");

function askedOf(face: Face) {
  const asked = {
    client_id: identityClients[face].clientId,
    redirect_uri: `${SITE}/auth/callback/${face}`,
    response_type: "code",
    state: "state of this browser",
  };
  if (face === "facebook") return { ...asked, scope: "email,public_profile" };
  return {
    ...asked,
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

/** What the product hears in the query of its callback. */
export function answerIn(response: Response): Record<string, string> {
  const location = response.headers.get("location");
  return location ? Object.fromEntries(new URL(location).searchParams) : {};
}
