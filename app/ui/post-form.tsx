import { type ComponentProps, use } from "react";
import { ACCOUNT_FIELD } from "./account-mark.ts";
import { RenderContext } from "./render-context.ts";

/** A form that posts. On a signed-in page it says whose it is, and does nothing for another account (decision 0077). */
export function PostForm({ children, ...props }: ComponentProps<"form">) {
  const { accountMark } = use(RenderContext);
  return (
    <form method="post" {...props}>
      {accountMark && <input type="hidden" name={ACCOUNT_FIELD} value={accountMark} />}
      {children}
    </form>
  );
}
