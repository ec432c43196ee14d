import { createHostCookie, replaceCookie } from "../auth/cookies.server.ts";
import type { Config } from "../config/config.server.ts";
import type { RequestState } from "../http/context.server.ts";

type HasOrigin = Pick<Config, "publicOrigin">;

/** Thanks for a payment once: a reload or Back must not thank again. */
const paidCookie = (config: HasOrigin) => createHostCookie(config, "paid", 60);

export async function setPaidCookie(config: HasOrigin, state: RequestState): Promise<void> {
  replaceCookie(state, await paidCookie(config).serialize("1"));
}

export async function takePaidCookie(
  config: HasOrigin,
  state: RequestState,
  { headers }: Request,
): Promise<boolean> {
  if ((await paidCookie(config).parse(headers.get("cookie"))) !== "1") return false;
  replaceCookie(state, await paidCookie(config).serialize("", { maxAge: 0 }));
  return true;
}
