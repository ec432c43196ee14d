/** Where a provider is found. Written down rather than discovered: the site starts whether or not they can be reached. */
export interface ProviderEndpoints {
  google: { issuer: string; authorizationEndpoint: string; tokenEndpoint: string; jwksUri: string };
  facebook: { issuer: string; authorizationEndpoint: string; tokenEndpoint: string; profileEndpoint: string };
}

/** https://accounts.google.com/.well-known/openid-configuration and Facebook's manual login flow, Graph API v24.0. */
export const REAL_ENDPOINTS: ProviderEndpoints = {
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

/** Where a form that begins a flow may lead by redirects alone, for the Content-Security-Policy. */
export const REAL_FORM_TARGETS = {
  google: ["https://accounts.google.com"],
  // Phones are sent on to the second.
  facebook: ["https://www.facebook.com", "https://m.facebook.com"],
};
