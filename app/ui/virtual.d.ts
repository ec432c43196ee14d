declare module "virtual:wordmark" {
  /** The product's name at build time, drawn by vite.wordmark.ts. */
  const wordmark: import("../../vite.wordmark.ts").Wordmark;
  export default wordmark;
}
