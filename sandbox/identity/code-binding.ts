import { createHash } from "node:crypto";
import type { Grant } from "./codes.ts";

/** Whether a code may be exchanged by who brings it: from the same client and page, with the verifier of its challenge. */
export function isBoundTo({ request }: Grant, form: URLSearchParams, clientId: string): boolean {
  return (
    request.clientId === clientId &&
    request.redirectUri === form.get("redirect_uri") &&
    request.codeChallenge === challengeOf(form.get("code_verifier"))
  );
}

/** RFC 7636 §4.6. Where nothing was challenged nothing may be verified either (RFC 9700 §2.1.1). */
function challengeOf(verifier: string | null): string | null {
  return verifier === null ? null : createHash("sha256").update(verifier).digest("base64url");
}
