// biome-ignore-all lint/a11y/noRedundantRoles: on a phone rows are cards, and what is not laid out as a table loses its roles
import { type CSSProperties, type ReactNode, useEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router";
import { PageLink } from "../../ui/page-link.tsx";
import { changeQuery, type ListQuery } from "./list-query.ts";

export interface Column<Row> {
  header: string;
  isHeaderHidden?: boolean;
  cell: (row: Row) => ReactNode;
  sort?: string;
  isNumber?: boolean;
  /** May take several lines, and the remaining width. */
  isText?: boolean;
  /** Says what it is, so that it goes without its header on a phone. */
  isPlain?: boolean;
  /** Not shown on a phone: the page of the row has it. */
  isWide?: boolean;
  /** Where tables stand one below the other: the first column takes the rest, so that all others align. Stays where it is empty. */
  width?: `${number}rem`;
}

export interface TableProps<Row> {
  id?: string;
  label: string;
  caption?: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  none?: ReactNode;
  /** Of the list: its columns can be sorted. */
  query?: ListQuery;
  /** The cells with the rows' checkboxes. */
  ticks?: { header: ReactNode; cell: (row: Row) => ReactNode };
}

export function Table<Row>(props: TableProps<Row>) {
  const { id, label, caption, rows, keyOf, none, query, ticks } = props;
  if (none && rows.length === 0) return <p className="text-quiet">{none}</p>;
  // Without those that are empty in every row.
  const columns = props.columns.filter(
    ({ cell, width }) => width || rows.length === 0 || rows.some((row) => isShown(cell(row))),
  );
  return (
    <TableFrame id={id} label={label}>
      <table role="table" data-aligned={columns.some(({ width }) => width) || undefined}>
        {caption && <caption className="sr-only">{caption}</caption>}
        <thead role="rowgroup">
          <tr role="row">
            {ticks?.header}
            {columns.map((column) => (
              <ColumnHeader key={column.header} query={query} {...column} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {ticks?.cell(row)}
              {columns.map(({ header, isHeaderHidden, cell, isNumber, isText, isPlain, isWide }, index) => (
                <td
                  key={header}
                  role="cell"
                  data-label={
                    isPlain || isHeaderHidden || index === 0 ? undefined : header.replace(" (UTC)", "")
                  }
                  data-wide={isWide}
                  className={isNumber ? "number" : isText ? "words" : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const isShown = (cell: ReactNode) => cell === 0 || Boolean(cell);

function ColumnHeader<Row>(props: Column<Row> & { query: ListQuery | undefined }) {
  const { header, isHeaderHidden, sort, isNumber, width, query } = props;
  const { search } = useLocation();
  const className = isNumber ? "number" : undefined;
  const style: (CSSProperties & Record<"--width", string>) | undefined = width && { "--width": width };
  if (!sort || !query)
    return (
      <th scope="col" role="columnheader" className={className} style={style}>
        {isHeaderHidden ? <span className="sr-only">{header}</span> : header}
      </th>
    );
  const isSorted = query.sort === sort;
  const order = isSorted && !query.isDescending ? `-${sort}` : sort;
  return (
    <th
      scope="col"
      role="columnheader"
      className={className}
      style={style}
      aria-sort={isSorted ? (query.isDescending ? "descending" : "ascending") : undefined}
    >
      <PageLink
        className="console-sort"
        preventScrollReset
        href={changeQuery(search, { sort: order, after: null, before: null }) || "?"}
      >
        {header}
        {isSorted && <span aria-hidden="true">{query.isDescending ? " ↓" : " ↑"}</span>}
      </PageLink>
    </th>
  );
}

/** Focusable, so that a keyboard can scroll it. */
function TableFrame({ id, label, children }: { id: string | undefined; label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable (WCAG 2.1.1)
    <section className="console-table" id={id} ref={useFocusByLink(id)} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Moves the focus to a link's target, as loading a document does. */
function useFocusByLink(id: string | undefined) {
  const place = useRef<HTMLElement>(null);
  const { key, hash } = useLocation();
  const isByLink = useNavigationType() !== NavigationType.Pop;
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    if (isByLink && hash === `#${id}`) place.current?.focus({ preventScroll: true });
  }, [key, hash, id, isByLink]);
  return place;
}
