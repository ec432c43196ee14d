import {
  allowInsecureRequests,
  ClientSecretPost,
  Configuration,
  enableNonRepudiationChecks,
} from "openid-client";
import type { ProviderConfig } from "../../config/service-config.server.ts";
import type { App } from "../../http/context.server.ts";
import { isProvider, PROVIDERS, type Provider } from "./providers.ts";
import { readSignInError } from "./sign-in-errors.ts";

const TIMEOUT_SECONDS = 10;

type ProviderConnection =
  | {
      isOn: true;
      client: Configuration;
      clientSecret: string;
      /** Google has the identity in the ID token. */
      profileEndpoint: string | null;
      /** Origins that a form may lead to, for the Content-Security-Policy. */
      formTargets: string[];
    }
  | { isOn: false; reason: string };

export type ConnectedProvider = Extract<ProviderConnection, { isOn: true }>;

export type Providers = Record<Provider, ProviderConnection>;

declare module "../../http/context.server.ts" {
  interface App {
    providers: Providers;
  }
}

/**
 * https://accounts.google.com/.well-known/openid-configuration and Facebook's manual login flow, Graph API v24.0. Fixed rather than
 * discovered, so that the site starts without reaching them.
 */
const REAL_ENDPOINTS = {
  google: {
    issuer: "https://accounts.google.com",
    authorizationEndpoint: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenEndpoint: "https://oauth2.googleapis.com/token",
    jwksUri: "https://www.googleapis.com/oauth2/v3/certs",
  },
  facebook: {
    issuer: "https://www.facebook.com",
    authorizationEndpoint: "https://www.facebook.com/v24.0/dialog/oauth",
    tokenEndpoint: "https://graph.facebook.com/v24.0/oauth/access_token",
    profileEndpoint: "https://graph.facebook.com/v24.0/me",
  },
};

export type ProviderEndpoints = typeof REAL_ENDPOINTS;

const REAL_FORM_TARGETS: Record<Provider, string[]> = {
  google: ["https://accounts.google.com"],
  // Where Facebook sends phones.
  facebook: ["https://www.facebook.com", "https://m.facebook.com"],
};

/** Sends no request. @param sandbox stands in for providers without keys */
export function connectProviders(
  config: Record<Provider, ProviderConfig>,
  sandbox: ProviderEndpoints | null,
): Providers {
  return { google: connect("google"), facebook: connect("facebook") };

  function connect(provider: Provider): ProviderConnection {
    const chosen = config[provider];
    if (chosen.mode === "off") return { isOn: false, reason: chosen.reason };
    const isSandbox = chosen.mode === "sandbox";
    const endpoints = isSandbox ? sandbox : REAL_ENDPOINTS;
    if (!endpoints) return { isOn: false, reason: "there is no sandbox" };
    const client = clientOf(provider, endpoints, chosen);
    if (isSandbox) allowInsecureRequests(client);
    return {
      isOn: true,
      client,
      clientSecret: chosen.clientSecret,
      profileEndpoint: provider === "facebook" ? endpoints.facebook.profileEndpoint : null,
      formTargets: isSandbox ? [] : REAL_FORM_TARGETS[provider],
    };
  }
}

function clientOf(
  provider: Provider,
  endpoints: ProviderEndpoints,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Configuration {
  const { issuer, authorizationEndpoint, tokenEndpoint } = endpoints[provider];
  const client = new Configuration(
    {
      issuer,
      authorization_endpoint: authorizationEndpoint,
      token_endpoint: tokenEndpoint,
      jwks_uri: provider === "google" ? endpoints.google.jwksUri : undefined,
      id_token_signing_alg_values_supported: ["RS256"],
    },
    clientId,
    { id_token_signed_response_alg: "RS256" },
    ClientSecretPost(clientSecret),
  );
  // The token came over TLS from the provider; its signature is checked all the same.
  enableNonRepudiationChecks(client);
  client.timeout = TIMEOUT_SECONDS;
  return client;
}

export type EnabledProviders = ReturnType<typeof readEnabledProviders>;

export function readEnabledProviders({ providers, config }: App, request: Request) {
  const query = new URL(request.url).searchParams;
  const [provider, error] = [query.get("provider"), readSignInError(query.get("error"))];
  return {
    providers: PROVIDERS.filter((provider) => providers[provider].isOn),
    authorizedDomains: config.authorizedDomains,
    failure: isProvider(provider) && error ? { provider, error } : null,
  };
}
