import type { Config } from "./config/config.server.ts";

const LINKS = [
  ["COMMUNITY_URL", "communityUrl"],
  ["MICROBLOG_URL", "microblogUrl"],
  ["CODE_HOST_URL", "codeHostUrl"],
  ["STORE_URL", "storeUrl"],
] as const;

/** The site runs without these settings, but worse than expected. */
export function startWarnings(
  config: Pick<Config, "isProduction" | "publicOrigin" | "site" | "trustedProxies" | "metrics">,
): string[] {
  const { isProduction, publicOrigin, site, trustedProxies, metrics } = config;
  const warnings: string[] = [];
  if (isProduction && !site.supportEmail)
    warnings.push(
      "SUPPORT_EMAIL is not set: pages name the contact form alone, and no message from it is mailed to you",
    );
  if (isProduction && site.supportEmail?.endsWith(".example"))
    warnings.push("SUPPORT_EMAIL is a placeholder: what people write to support reaches nobody");
  const unset = LINKS.filter(([, key]) => site[key] === null).map(([setting]) => setting);
  if (unset.length > 0) warnings.push(`${unset.join(", ")} not set: pages leave these links out`);
  if (isProduction && !(site.company && site.companyAddress))
    warnings.push(
      "COMPANY_NAME and COMPANY_ADDRESS are not both set: footer, mails and legal texts do not say who sells",
    );
  // We serve plain HTTP, so a proxy must terminate TLS.
  if (publicOrigin.startsWith("https:") && trustedProxies.length === 0)
    warnings.push("TRUSTED_PROXIES is not set: everybody who comes by the proxy counts as one client");
  if (isProduction && metrics && /^(0\.0\.0\.0|\[?::\]?|\*?)$/.test(metrics.host))
    warnings.push(
      "METRICS_HOST is every address of this machine: anyone who reaches the port can read the metrics",
    );
  return warnings;
}
