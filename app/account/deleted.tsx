import { redirect } from "react-router";
import { readUser } from "../auth/session.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import type { Route } from "./+types/deleted.ts";

export async function loader(args: Route.LoaderArgs) {
  if (await readUser(args)) throw redirect("/account");
  return { isSure: !new URL(args.request.url).searchParams.has("unsure") };
}

export default function Deleted({ loaderData: { isSure } }: Route.ComponentProps) {
  if (!isSure) return <SignedOut />;
  return (
    <PrivatePage title="Your account is deleted">
      <h1 className="text-[2rem]">Your account is deleted</h1>
      <p>You’re signed out everywhere, and nothing more will be charged. One last email confirms it.</p>
      <ButtonLink href="/">Go to the home page</ButtonLink>
    </PrivatePage>
  );
}

/** Most likely by pressing twice. */
function SignedOut() {
  return (
    <PrivatePage title="You’re signed out">
      <h1 className="text-[2rem]">You’re signed out</h1>
      <p>
        If you deleted your account, it’s gone, and an email confirms it. If you didn’t,{" "}
        <PageLink href="/login?return_to=%2Faccount">log in</PageLink>: it’s still there.
      </p>
      <ButtonLink href="/">Go to the home page</ButtonLink>
    </PrivatePage>
  );
}
