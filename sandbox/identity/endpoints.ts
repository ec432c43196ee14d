/** A provider that is stood in for; also the first part of its paths. */
export type Provider = "google" | "facebook";

/** How the product is registered with a provider. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
}

/**
 * Where the product finds the two providers.
 *
 * @param publicOrigin what the browser opens: `https://site.example`
 * @param loopback what the server asks, whatever proxy is in front of the public origin: `http://127.0.0.1:3000`
 */
export function identityEndpoints(publicOrigin: string, loopback: string) {
  const google = "/sandbox/identity/google";
  const facebook = "/sandbox/identity/facebook";
  return {
    google: {
      issuer: publicOrigin + google,
      authorizationEndpoint: `${publicOrigin}${google}/authorize`,
      tokenEndpoint: `${loopback}${google}/token`,
      jwksUri: `${loopback}${google}/jwks`,
    },
    facebook: {
      issuer: publicOrigin + facebook,
      authorizationEndpoint: `${publicOrigin}${facebook}/dialog/oauth`,
      tokenEndpoint: `${loopback}${facebook}/oauth/access_token`,
      profileEndpoint: `${loopback}${facebook}/me`,
    },
  };
}
