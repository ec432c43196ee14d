import type { NavigationLink } from "../ui/site.ts";
import { ConsolePage } from "./console-page.tsx";

/** For something that was deleted, or never was. */
export function NotThere({ title, list }: { title: string; list: NavigationLink }) {
  return (
    <ConsolePage title={title} above={[list]}>
      <p>There is nothing at this address. It may have been deleted.</p>
    </ConsolePage>
  );
}
