import { once } from "node:events";
import { connect } from "node:tls";
import type { Config } from "../config/config.server.ts";
import type { Finding } from "./finding.ts";

const TIMEOUT_MILLISECONDS = 8_000;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** Whoever renews certificates by itself does so a third of their life before the end, and the shortest are for some days. */
const DAYS_LEFT = { warn: 14, fail: 3 };

/** Asks the site at the address people use whether it can serve. */
export async function checkSite({
  publicOrigin,
}: Pick<Config, "publicOrigin">): Promise<Omit<Finding, "check">[]> {
  const start = performance.now();
  let status: number;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    ({ status } = await fetch(`${publicOrigin}/readyz`, { redirect: "manual", signal }));
  } catch (error) {
    return [
      {
        level: "fail",
        says: `${publicOrigin} cannot be reached from here: ${reasonOf(error)}`,
        advice: "is the site running, is the proxy in front of it, does the name lead to this machine?",
      },
    ];
  }
  const took = Math.round(performance.now() - start);
  if (status === 200) return [{ level: "ok", says: `${publicOrigin} answers and can serve, in ${took} ms` }];
  if (status === 503)
    return [
      {
        level: "fail",
        says: `${publicOrigin} says that it cannot serve (503 at /readyz)`,
        advice: "is the database away, its disk full, or the process starting or ending? Its log says which",
      },
    ];
  return [
    {
      level: "warn",
      says: `${publicOrigin}/readyz answers ${status}, not 200: the proxy does not pass it on, or another site answers there`,
      advice: "look at the proxy’s settings",
    },
  ];
}

/** Looks at the certificate of the address people use: from where it is seen, and for how many days it holds. */
export async function checkCertificate(
  { publicOrigin }: Pick<Config, "publicOrigin">,
  now = Date.now(),
): Promise<Omit<Finding, "check">[]> {
  const { protocol, hostname, port } = new URL(publicOrigin);
  if (protocol !== "https:") return [{ level: "ok", says: "none is needed: PUBLIC_ORIGIN is not https" }];
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 443),
    servername: /[a-z]/i.test(hostname) ? hostname : "",
    // Also one that does not hold is to be described.
    rejectUnauthorized: false,
    timeout: TIMEOUT_MILLISECONDS,
  });
  socket.once("timeout", () => socket.destroy(new Error("no answer")));
  try {
    await once(socket, "secureConnect");
    const endsAt = Date.parse(socket.getPeerCertificate().valid_to);
    return [describeCertificate(endsAt, now, socket.authorized ? null : String(socket.authorizationError))];
  } catch (error) {
    return [
      {
        level: "fail",
        says: `no encrypted connection to ${hostname}: ${reasonOf(error)}`,
        advice: "is the proxy running, and does it have a certificate for this name?",
      },
    ];
  } finally {
    socket.destroy();
  }
}

/** @param distrust why it is not trusted; `null`: it is */
export function describeCertificate(
  endsAt: number,
  now: number,
  distrust: string | null,
): Omit<Finding, "check"> {
  const days = Math.floor((endsAt - now) / DAY_MILLISECONDS);
  const advice = "renew it; the proxy’s log says why it was not renewed by itself";
  if (!(days >= 0)) {
    const ago = days <= -2 ? `, ${-days} days ago` : "";
    return { level: "fail", says: `the certificate has ended${ago}`, advice };
  }
  if (distrust)
    return {
      level: "fail",
      says: `browsers do not trust the certificate: ${distrust}`,
      advice: "install the one for this name with its whole chain",
    };
  const level = days < DAYS_LEFT.fail ? "fail" : days < DAYS_LEFT.warn ? "warn" : "ok";
  return {
    level,
    says: `the certificate holds for ${days} day${days === 1 ? "" : "s"} more`,
    ...(level !== "ok" && { advice }),
  };
}

/** The innermost cause, which is the one that tells: fetch says "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
