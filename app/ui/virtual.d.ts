declare module "virtual:wordmark" {
  /** The product's name at build time; `drawing` is `null` when the font lacks a letter of it or it is too long. */
  const wordmark: { text: string; drawing: { path: string; viewBox: string } | null };
  export default wordmark;
}
