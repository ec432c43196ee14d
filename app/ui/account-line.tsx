import type { ComponentProps, ReactNode } from "react";

export interface LineProps extends ComponentProps<"div"> {
  name: ReactNode;
  facts: ReactNode;
}

/** @param children what can be done about it */
export function AccountLine({ name, facts, children, ...line }: LineProps) {
  return (
    <div className="account-line" {...line}>
      <dt>{name}</dt>
      <dd>{facts}</dd>
      {children && <dd>{children}</dd>}
    </div>
  );
}
