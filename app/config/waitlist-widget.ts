import { z } from "zod";

/** What a widget may load from hosts besides its script's and its styles', by the directive of the policy. */
export const WIDGET_HOSTS = ["script", "style", "image", "font", "connect", "frame"] as const;

/** A third party's waitlist. */
export interface WaitlistWidget {
  scriptUrl: string;
  styleUrl: string | null;
  /** Of the element it fills. */
  id?: string;
  /** Of that element: `class` and `data-*`. */
  attributes?: Readonly<Record<string, string>>;
  /** Origins, by what may be loaded from them. */
  hosts?: Readonly<Record<(typeof WIDGET_HOSTS)[number], readonly string[]>>;
  /** Whether it may set styles inline. Scripts never may. */
  hasInlineStyles?: boolean;
}

/** The id of the element a widget fills. */
export const widgetId = z.string().regex(/^[A-Za-z][\w:.-]{0,99}$/, "must be an id, such as waitlist-widget");

/** Written as a query: `class=form&data-form=abc`. */
export const widgetAttributes = z
  .string()
  .max(2000)
  .transform((query, context): Record<string, string> => {
    const attributes = [...new URLSearchParams(query)];
    for (const [name] of attributes)
      if (!/^(class|data-[a-z0-9_-]+)$/.test(name))
        context.addIssue(`has "${name}": only class and data-… are attributes of a widget`);
    return Object.fromEntries(attributes);
  });

/** An origin whose host has no wildcard. */
export const plainOrigin = z
  .string()
  .refine(
    (value) => /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(value) && URL.parse(value)?.origin === value,
    {
      error: "must be origins, such as https://api.example.com, without a path or a wildcard",
    },
  );
