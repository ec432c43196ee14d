import { pageResponse } from "../../page/response.ts";
import type { Face } from "../clients.ts";
import { giveCode } from "../codes.ts";
import type { Call } from "../context.ts";
import { accountOf, type Person, personAt } from "../people.ts";
import {
  type AuthorizationRequest,
  findFault,
  findRedirectFault,
  readAuthorizationRequest,
} from "./authorization-request.ts";
import { faultPage } from "./chooser-page.ts";
import { chooserResponse } from "./chooser-response.ts";
import { keepRequest } from "./requests.ts";

/** Where a sign-in begins: a browser comes with the product's request, and is shown who it may go on as. */
export async function authorize(face: Face, call: Call): Promise<Response> {
  const { url, knobs, pool, publicOrigin, clients } = call;
  const asked = readAuthorizationRequest(url.searchParams);
  const redirectFault = findRedirectFault(asked.redirectUri, publicOrigin);
  // Before all else: an address that is not ours hears of nothing, errors included (RFC 6749 §4.1.2.1).
  if (redirectFault) return pageResponse(redirectFault.status, faultPage(face, redirectFault));
  if (knobs.authorize_error) return sendBack(asked, { error: knobs.authorize_error });
  const fault = findFault(face, url.searchParams, clients[face].clientId);
  if (fault) return pageResponse(fault.status, faultPage(face, fault));
  if (knobs.denial) return sendBackDenied(face, asked);
  if (knobs.choose) return signIn(face, asked, personAt(face, knobs.choose), call);
  return chooserResponse(face, await keepRequest(pool, face, asked), call);
}

/** Sends the browser back with a code for this person. */
export async function signIn(
  face: Face,
  asked: AuthorizationRequest,
  person: Person,
  call: Call,
): Promise<Response> {
  const code = await giveCode(call.pool, face, asked, accountOf(face, person, asked.scope, call));
  call.log(`Identity sandbox: ${face} gave a code`);
  return sendBack(asked, { code });
}

/** Sends the browser back with the news that its person does not want to. */
export function sendBackDenied(face: Face, asked: AuthorizationRequest): Response {
  const why = { error_code: "200", error_description: "Permissions error", error_reason: "user_denied" };
  return sendBack(asked, { error: "access_denied", ...(face === "facebook" && why) });
}

function sendBack({ redirectUri, state }: AuthorizationRequest, answer: Record<string, string>): Response {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set("state", state);
  return new Response(null, { status: 303, headers: { location: url.href, "cache-control": "no-store" } });
}
