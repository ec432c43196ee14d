declare module "virtual:try-it-island" {
  /** Provided by vite.config.ts. */
  const url: string;
  export default url;
}
