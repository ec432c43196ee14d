/** Of other hosts than its script's and styles', by directive of the policy. */
type WidgetResource = "script" | "style" | "image" | "font" | "connect" | "frame";

export interface WaitlistWidget {
  scriptUrl: string;
  styleUrl: string | null;
  /** Of the element it fills. */
  id?: string;
  /** `class` and `data-*`. */
  attributes?: Readonly<Record<string, string>>;
  hosts?: Readonly<Record<WidgetResource, readonly string[]>>;
  /** Scripts never may. */
  hasInlineStyles?: boolean;
}
