import { Outlet } from "react-router";
import { markAccount } from "../auth/account-mark.server.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/console.ts";
import { ConsoleHeader, OperatorLine } from "./console-header.tsx";
import { readOpenWork } from "./open-work.server.ts";
import { requireOperator } from "./operator.server.ts";
import { SearchDialog } from "./search/search-dialog.tsx";
import { Status, useStatus } from "./status.tsx";

export const handle: RouteHandle = { hydrate: true, styles: "console", header: ConsoleHeader };

/** For the console's frame. Each page below checks for an operator itself. */
export async function loader(args: Route.LoaderArgs) {
  const { db, config, operator } = await requireOperator(args);
  const { id, name } = operator;
  const openWork = await readOpenWork(db);
  return {
    operator: name,
    openWork,
    accountMark: markAccount(config.authSecret, { id, email: name }),
    timeZone: null,
  };
}

export default function Console({ loaderData: { operator } }: Route.ComponentProps) {
  const { flash, say, dismiss } = useStatus();
  return (
    <>
      <Status flash={flash} onDismiss={dismiss} />
      <Outlet context={say} />
      {/* On a phone, where the header has no room for it. */}
      <footer className="console-foot">
        <OperatorLine operator={operator} />
      </footer>
      <SearchDialog />
    </>
  );
}
