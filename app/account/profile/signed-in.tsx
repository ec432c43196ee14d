import { Outlet } from "react-router";
import type { RouteHandle } from "../../root.tsx";
import { readUser } from "../session.server.ts";
import type { Route } from "./+types/signed-in.ts";

export const handle: RouteHandle = { hydrate: true, isSignedIn: true };

/** Who is signed in, for the frame of every account page. Each page below guards itself. */
export async function loader(args: Route.LoaderArgs) {
  const user = await readUser(args);
  return user && { name: user.name, email: user.email, image: user.image };
}

export default function SignedIn() {
  return <Outlet />;
}
