declare module "virtual:try-it-island" {
  /** The URL of the bundled island.tsx, provided by vite.config.ts. */
  const url: string;
  export default url;
}
