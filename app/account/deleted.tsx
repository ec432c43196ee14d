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
  const title = isSure ? "Your account is deleted" : "You’re signed out";
  return (
    <PrivatePage title={title}>
      <h1 className="text-[2rem]">{title}</h1>
      {isSure ? (
        <p>You’re signed out everywhere, and nothing more will be charged. One last email confirms it.</p>
      ) : (
        // Most likely by pressing twice.
        <p>
          If you deleted your account, it’s gone, and an email confirms it. If you didn’t,{" "}
          <PageLink href="/login?return_to=%2Faccount">log in</PageLink>: it’s still there.
        </p>
      )}
      <ButtonLink href="/">Go to the home page</ButtonLink>
    </PrivatePage>
  );
}
