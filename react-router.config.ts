import type { Config } from "@react-router/dev/config";

export default {
  ssr: true,
  routeDiscovery: { mode: "initial" },
  // A form is sent by what its page has loaded, also once the network is gone.
  splitRouteModules: false,
} satisfies Config;
