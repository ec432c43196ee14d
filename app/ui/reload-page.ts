/** Loaded by pages without React, while developing: loads them anew when what renders them has changed (vite.config.ts). */
import.meta.hot?.on("site:server-code-changed", () => location.reload());
