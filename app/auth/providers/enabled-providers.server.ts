import type { App } from "../../http/context.server.ts";
import { isProvider, PROVIDERS, type Provider } from "./providers.ts";
import { readSignInError, type SignInError } from "./sign-in-errors.ts";

/** What a page needs to know to show the buttons. */
export interface ProviderOffer {
  /** Those that are on, in the order they are shown. */
  providers: Provider[];
  /** The hostnames a popup may be opened from. */
  authorizedDomains: string[];
  /** What happened to somebody who comes back by a redirect. */
  failure: { provider: Provider; error: SignInError } | null;
}

/** The buttons of a page, and what its address says of a failure; an address that names none of ours says nothing. */
export function offerProviders({ providers, config }: App, request: Request): ProviderOffer {
  const query = new URL(request.url).searchParams;
  const [provider, error] = [query.get("provider"), readSignInError(query.get("error"))];
  return {
    providers: PROVIDERS.filter((provider) => providers[provider].isOn),
    authorizedDomains: config.authorizedDomains,
    failure: isProvider(provider) && error ? { provider, error } : null,
  };
}
