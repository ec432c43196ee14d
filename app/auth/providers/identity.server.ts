import { createHmac } from "node:crypto";
import { authorizationCodeGrant, fetchProtectedResource } from "openid-client";
import { z } from "zod";
import { emailAddress, nameFromAddress, personName } from "../person-fields.server.ts";
import type { ConnectedProvider } from "./connect.server.ts";
import type { Identity } from "./linking.ts";
import type { Provider } from "./providers.ts";

/** A sign-in under way at a provider, whose answer must match. */
interface PendingAuth {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/**
 * Asks the provider who came back: the code is exchanged, the ID token verified (OpenID Connect Core §3.1.3.7).
 *
 * @param callback the address the browser came back to, as the provider was told it
 * @throws what openid-client throws; provider-errors.server.ts says what it means
 */
export async function fetchIdentity(
  provider: Provider,
  connection: ConnectedProvider,
  callback: URL,
  { state, nonce, codeVerifier }: PendingAuth,
): Promise<Identity> {
  const isOpenId = provider === "google";
  const tokens = await authorizationCodeGrant(connection.client, callback, {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
    ...(isOpenId && { expectedNonce: nonce, idTokenExpected: true }),
  });
  return isOpenId
    ? fromGoogle(tokens.claims() ?? {})
    : fromFacebook(await fetchFacebookProfile(connection, tokens.access_token));
}

/** https://developers.facebook.com/docs/graph-api/reference/user, signed so that a stolen token is of no use. */
async function fetchFacebookProfile(connection: ConnectedProvider, accessToken: string): Promise<unknown> {
  const url = new URL(connection.profileEndpoint ?? "");
  url.searchParams.set("fields", "id,name,email");
  const proof = createHmac("sha256", connection.clientSecret).update(accessToken).digest("hex");
  url.searchParams.set("appsecret_proof", proof);
  const answer = await fetchProtectedResource(connection.client, accessToken, url, "GET");
  if (!answer.ok) throw new ProfileError(answer);
  return answer.json();
}

/** A provider did not answer who the person is. */
export class ProfileError extends Error {
  override name = "ProfileError";
  readonly answer: Response;

  constructor(answer: Response) {
    super(`the profile was answered with ${answer.status}`);
    this.answer = answer;
  }
}

const orNull = <T extends z.ZodType>(type: T) => type.nullable().catch(null);
const name = orNull(personName);
const email = orNull(emailAddress.transform((address) => address.toLowerCase()));

const googleClaims = z.object({
  sub: z.string().regex(/^\P{Cc}{1,255}$/u),
  email,
  /** The organisation, when Google hosts its addresses. */
  hd: orNull(z.string().min(1)),
  email_verified: z.union([z.boolean(), z.literal("true").transform(() => true)]).catch(false),
  name,
  picture: orNull(z.url({ protocol: /^https$/ }).max(2000)),
});

function fromGoogle(claims: object): Identity {
  const { sub, email, email_verified, hd, name, picture } = googleClaims.parse(claims);
  // Of other addresses Google only knows that they were verified once.
  const isGooglesOwn = hd !== null || /@(gmail|googlemail)\.com$/.test(email ?? "");
  return {
    provider: "google",
    accountId: sub,
    email,
    isEmailVerified: email !== null && email_verified && isGooglesOwn,
    name: name ?? nameFromAddress(email ?? ""),
    image: picture,
  };
}

const facebookProfile = z.object({ id: z.string().regex(/^\d{1,32}$/), email, name });

function fromFacebook(profile: unknown): Identity {
  const { id, email, name } = facebookProfile.parse(profile);
  return {
    provider: "facebook",
    accountId: id,
    email,
    isEmailVerified: false,
    name: name ?? nameFromAddress(email ?? ""),
    // Facebook's picture addresses expire after some weeks.
    image: null,
  };
}
