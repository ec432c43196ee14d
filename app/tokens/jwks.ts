import { publicKeys } from "../auth/keys.server.ts";
import { handleApiErrors, wrongMethod } from "../http/callable.server.ts";
import { fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/jwks.ts";

/** Clients that see an unknown `kid` fetch them again. */
export function loader({ context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  return handleApiErrors({ app, state }, async () =>
    Response.json(await publicKeys(app), {
      headers: { "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*" },
    }),
  );
}

export function action() {
  return wrongMethod("GET, HEAD");
}
