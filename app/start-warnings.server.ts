import type { Config } from "./config/config.server.ts";

/** What an operator would regret not to have set: the site runs without it, and worse than they think. */
export function startWarnings({
  isProduction,
  publicOrigin,
  site,
  trustedProxies,
}: Pick<Config, "isProduction" | "publicOrigin" | "site" | "trustedProxies">): string[] {
  const warnings: string[] = [];
  if (isProduction && site.supportEmail.endsWith(".example"))
    warnings.push("SUPPORT_EMAIL is not set: what people write to support reaches nobody");
  if (isProduction && !(site.company && site.companyAddress))
    warnings.push(
      "COMPANY_NAME and COMPANY_ADDRESS are not both set: footer, mails and legal texts do not say who sells",
    );
  // We serve plain HTTP, so a proxy must terminate TLS.
  if (publicOrigin.startsWith("https:") && trustedProxies.length === 0)
    warnings.push("TRUSTED_PROXIES is not set: everybody who comes by the proxy counts as one client");
  return warnings;
}
