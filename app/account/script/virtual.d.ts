declare module "virtual:account-script" {
  /** The URL of the bundled account.ts, provided by vite.island.ts. */
  const url: string;
  export default url;
}
declare module "virtual:passkey-script" {
  /** The URL of the bundled ask-passkey.ts, provided by vite.island.ts. */
  const url: string;
  export default url;
}
