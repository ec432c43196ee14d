/** For pages without React, in development (vite.config.ts). */
import.meta.hot?.on("site:server-code-changed", () => location.reload());
