/** Resources a widget may load from other hosts than its script's and styles', by directive of the policy. */
type WidgetResource = "script" | "style" | "image" | "font" | "connect" | "frame";

/** A third party's waitlist. */
export interface WaitlistWidget {
  scriptUrl: string;
  styleUrl: string | null;
  /** The id of the element it fills. */
  id?: string;
  /** Attributes of that element: `class` and `data-*`. */
  attributes?: Readonly<Record<string, string>>;
  /** Allowed origins, by kind of resource. */
  hosts?: Readonly<Record<WidgetResource, readonly string[]>>;
  /** Whether it may set styles inline. Scripts never may. */
  hasInlineStyles?: boolean;
}
