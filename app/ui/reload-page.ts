/** For pages without React, in development: reloads them when the code that renders them has changed (vite.config.ts). */
import.meta.hot?.on("site:server-code-changed", () => location.reload());
