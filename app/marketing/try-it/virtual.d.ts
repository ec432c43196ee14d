declare module "virtual:try-it-island" {
  /** Where the browser gets island.ts from; vite.island.ts says so. */
  const url: string;
  export default url;
}
