import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { TOTP } from "otpauth";
import { type Browser, openBrowser } from "./browser.ts";
import { postForm } from "./http.ts";
import type { TestServer } from "./server.ts";
import { createPerson, get, PASSWORD, type Person, postAs, verify } from "./users.ts";

const PERIOD_SECONDS = 30;

/** An authenticator app. */
export interface App {
  /** The current code, or that of a number of steps later. */
  code(steps?: number): string;
}

/** Sets up an authenticator app by the pages. Needs a fresh session and a confirmed address. */
export async function setUpApp(server: TestServer, person: Pick<Person, "cookie">): Promise<App> {
  await postForm(server, "/account/second-factor", { do: "begin-app" }, person.cookie);
  const page = await (await get(server, "/account/second-factor/app", person.cookie)).text();
  const app = appOf(keyIn(page));
  const done = await postAs(server, person, "/account/second-factor/app", { otp: app.code() });
  if (done.status !== 303) throw new Error(`setting up the app was answered with ${done.status}`);
  return app;
}

/** The key that a page shows for typing. */
function keyIn(page: string): string {
  const [, key = ""] = /<strong[^>]*>((?:[A-Z2-7]{4} ?){8})<\/strong>/.exec(page) ?? [];
  return key.replaceAll(" ", "");
}

export function appOf(key: string): App {
  const totp = new TOTP({ secret: key });
  return {
    code: (steps = 0) => totp.generate({ timestamp: Date.now() + steps * PERIOD_SECONDS * 1000 }),
  };
}

/** Makes all codes unused: each works only once, and tests do not wait for the next. */
export const forgetCodes = (server: TestServer, { id }: Pick<Person, "id">) =>
  server.pool.query("UPDATE authenticator_apps SET last_step = NULL WHERE user_id = $1", [id]);

/** Creates a signed-in user with an authenticator app, none of whose codes is used. */
export async function createAppOwner(server: TestServer): Promise<Person & { app: App }> {
  const person = await createPerson(server.pool);
  await verify(server, person);
  const app = await setUpApp(server, person);
  await forgetCodes(server, person);
  return { ...person, app };
}

/** Counts a user's sessions that wait for their second factor, and the open ones. */
export async function countSessions(server: TestServer, id: string) {
  const { rows } = await server.pool.query(
    `SELECT count(*) FILTER (WHERE needs_second_factor)::int AS waiting,
       count(*) FILTER (WHERE NOT needs_second_factor)::int AS open FROM session WHERE user_id = $1`,
    [id],
  );
  return rows[0];
}

/** The cookies of a browser, as a header. */
export const cookiesOf = ({ cookies }: Pick<Browser, "cookies">) =>
  [...cookies].map((pair) => pair.join("=")).join("; ");

/** Creates recovery codes, by the page. */
export async function makeRecoveryCodes(
  server: TestServer,
  { cookie }: Pick<Person, "cookie">,
): Promise<string[]> {
  const page = await (await get(server, "/account/second-factor/codes", cookie)).text();
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(page) ?? [];
  return codesIn(await postForm(server, "/account/second-factor/codes", { form }, cookie));
}

export async function codesIn(answer: Response): Promise<string[]> {
  return [...(await answer.text()).matchAll(/<li>([0-9a-z]{4}(?:-[0-9a-z]{4}){5})<\/li>/g)].map(
    ([, code = ""]) => code,
  );
}

/** Signs in with the right password and stops at the second step. */
export async function openPending(server: TestServer, email: string, returnTo = ""): Promise<Browser> {
  const browser = openBrowser(server);
  const answer = await browser.post("/login", { email, password: PASSWORD, return_to: returnTo });
  if (!answer.headers.get("location")?.startsWith("/login/second-factor"))
    throw new Error(`the password led to ${answer.status} ${answer.headers.get("location")}`);
  return browser;
}

/** A WebAuthn challenge and its options. */
interface Question {
  challenge: string;
}

/** A software security key (WebAuthn level 3), for answers that no browser would send twice. */
export class SoftwareKey {
  readonly id = randomBytes(32);
  counter = 1;
  readonly #publicKey: KeyObject;
  readonly #privateKey: KeyObject;
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#publicKey = publicKey;
    this.#privateKey = privateKey;
  }

  /** Answers the challenge to create a passkey. */
  create({ challenge }: Question, origin = this.#origin): string {
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      this.#cose(),
    ]);
    const data = this.#authenticatorData(0x41, credential);
    const attestation = Buffer.concat([
      Buffer.from([0xa3, 0x63, ...Buffer.from("fmt"), 0x64, ...Buffer.from("none")]),
      Buffer.from([0x67, ...Buffer.from("attStmt"), 0xa0]),
      Buffer.from([0x68, ...Buffer.from("authData"), 0x58, data.length]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: clientData("webauthn.create", challenge, origin).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
      transports: ["usb"],
    });
  }

  /** Answers the challenge to use the passkey. */
  get({ challenge }: Question, origin = this.#origin): string {
    const data = this.#authenticatorData(0x01, Buffer.alloc(0));
    const said = clientData("webauthn.get", challenge, origin);
    const signed = Buffer.concat([data, createHash("sha256").update(said).digest()]);
    return this.#answer({
      clientDataJSON: said.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#privateKey).toString("base64url"),
    });
  }

  #answer(response: object): string {
    const id = this.id.toString("base64url");
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }

  #authenticatorData(flags: number, rest: Buffer): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const rpId = createHash("sha256").update(new URL(this.#origin).hostname).digest();
    return Buffer.concat([rpId, Buffer.from([flags]), counter, rest]);
  }

  /** The public key in COSE (RFC 9053): ES256 on P-256. */
  #cose(): Buffer {
    const { x = "", y = "" } = this.#publicKey.export({ format: "jwk" });
    const coordinate = (label: number, value: string) =>
      Buffer.concat([Buffer.from([label, 0x58, 32]), Buffer.from(value, "base64url")]);
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
      coordinate(0x21, x),
      coordinate(0x22, y),
    ]);
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** The WebAuthn options of the site, as the page's script fetches them. */
export async function questionFor(
  browser: Pick<Browser, "post">,
  purpose: "sign_in" | "confirm" | "add",
): Promise<Question> {
  const answer = await browser.post("/auth/passkey-options", { for: purpose });
  if (!answer.ok) throw new Error(`no question: ${answer.status}`);
  return (await answer.json()).options;
}

/** Adds a passkey, by the page's form. One whose counter is 0 counts no uses, as synced passkeys do not. */
export async function addKey(
  server: TestServer,
  person: Pick<Person, "cookie">,
  key = new SoftwareKey(server.origin),
): Promise<SoftwareKey> {
  const browser = openBrowser(server, person.cookie);
  const passkey = key.create(await questionFor(browser, "add"));
  if (key.counter > 0) key.counter++;
  const done = await browser.post("/account/second-factor/passkey", { name: "My key", passkey });
  if (done.status !== 303) throw new Error(`adding the passkey was answered with ${done.status}`);
  person.cookie = cookiesOf(browser);
  return key;
}
