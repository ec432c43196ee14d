/**
 * `node server.ts --dev` runs the site from its sources. Without that it runs the build, as `node build/server/index.js` does with
 * less memory: Node need not learn TypeScript for it.
 */
if (process.argv.includes("--dev")) {
  const [{ serve }, { openDevelopmentSite }] = await Promise.all([
    import("./app/serve.server.ts"),
    import("./app/development-site.server.ts"),
  ]);
  await serve(openDevelopmentSite, { isDev: true });
} else {
  await import("./build/server/index.js" as string);
}

export {};
