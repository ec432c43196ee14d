/** What a widget may load from hosts besides its script's and its styles', by the directive of the policy. */
type WidgetResource = "script" | "style" | "image" | "font" | "connect" | "frame";

/** A third party's waitlist. */
export interface WaitlistWidget {
  scriptUrl: string;
  styleUrl: string | null;
  /** Of the element it fills. */
  id?: string;
  /** Of that element: `class` and `data-*`. */
  attributes?: Readonly<Record<string, string>>;
  /** Origins, by what may be loaded from them. */
  hosts?: Readonly<Record<WidgetResource, readonly string[]>>;
  /** Whether it may set styles inline. Scripts never may. */
  hasInlineStyles?: boolean;
}
