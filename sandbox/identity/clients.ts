/** Whom the sandbox stands in for; also the first part of each one's path. */
export type Face = keyof typeof identityClients;

/** What the product is called at each of them. Outside the sandbox these open nothing. */
export const identityClients = {
  google: { clientId: "sandbox-google", clientSecret: "sandbox-google-secret" },
  facebook: { clientId: "sandbox-facebook", clientSecret: "sandbox-facebook-secret" },
};
