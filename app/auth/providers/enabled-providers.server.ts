import type { App } from "../../http/context.server.ts";
import { isProvider, PROVIDERS, type Provider } from "./providers.ts";
import { readSignInError, type SignInError } from "./sign-in-errors.ts";

/** What a page needs to show the buttons. */
export interface EnabledProviders {
  providers: Provider[];
  authorizedDomains: string[];
  /** What the page's address says of a failure, after a redirect. */
  failure: { provider: Provider; error: SignInError } | null;
}

/** The providers a page shows buttons for. A failure in its address that is none of ours is left out. */
export function readEnabledProviders({ providers, config }: App, request: Request): EnabledProviders {
  const query = new URL(request.url).searchParams;
  const [provider, error] = [query.get("provider"), readSignInError(query.get("error"))];
  return {
    providers: PROVIDERS.filter((provider) => providers[provider].isOn),
    authorizedDomains: config.authorizedDomains,
    failure: isProvider(provider) && error ? { provider, error } : null,
  };
}
