import type { ReactNode } from "react";
import { Form, useLocation } from "react-router";
import { PageLink } from "../../ui/page-link.tsx";
import { useFieldsOf } from "../../ui/use-fields-of.ts";
import { formatCount } from "../console-page.tsx";
import type { ListCount, ListPage } from "./keyset.server.ts";
import { changeQuery, isFiltered, type ListQuery, MOST_COUNTED } from "./list-query.ts";
import type { Listed } from "./list-source.server.ts";
import { SelectAll, Selectable, type Selection, SelectRow } from "./selection.tsx";
import { Table, type TableProps } from "./table.tsx";

export interface Filter {
  name: string;
  label: string;
  /** Labels by their values. Without them it is a text box. */
  choices?: Readonly<Record<string, string>>;
  /** What is listed without a choice. */
  none?: string;
  placeholder?: string;
  type?: "date" | "hidden";
}

interface ListTableProps<Row extends Listed>
  extends Omit<TableProps<Row>, "id" | "label" | "rows" | "keyOf" | "ticks"> {
  /** The rows' name, in the plural: "people". */
  of: string;
  page: Pick<ListPage<Row>, "rows" | "next"> & { count?: ListCount };
  selection?: Selection<Row>;
  /** Where the rows are that are not on the page. */
  more?: ReactNode;
  /** The page says it elsewhere, by `placeOf`. */
  isCountHidden?: boolean;
}

interface ListProps<Row extends Listed> extends Omit<ListTableProps<Row>, "more"> {
  query: ListQuery;
  page: ListPage<Row> & { count: ListCount };
  filters?: readonly Filter[];
  csv?: string;
}

/** A list with filters, pages and CSV, all by URL. @param none what an empty one says, unless it is filtered */
export function List<Row extends Listed>({ filters, csv, none, ...table }: ListProps<Row>) {
  const { of, query, page } = table;
  return (
    <>
      {filters && <Filters query={query} filters={filters} />}
      <ListTable {...table} none={isFiltered(query) ? `No ${of} like that.` : (none ?? `No ${of} yet.`)} />
      <Pages page={page} table={idOfTable(of)} />
      {csv && page.rows.length > 0 && <CsvLink path={csv} />}
    </>
  );
}

/** "51–61 of 61 people" */
export function placeOf(shown: number, count: ListCount, of: string): string {
  if (!count) return `More than ${formatCount(MOST_COUNTED)} ${of}`;
  const { total, before } = count;
  if (shown === total) return `${total} ${of}`;
  return `${formatCount(before + 1)}–${formatCount(before + shown)} of ${formatCount(total)} ${of}`;
}

const keyOf = ({ cursor: [, id] }: Listed) => id;

export function ListTable<Row extends Listed>(all: ListTableProps<Row>) {
  const { of, page, selection, more, isCountHidden, ...props } = all;
  const { rows, next, count } = page;
  const shown = rows.some((row) => selection?.nameOf(row)) ? selection : undefined;
  const table = (
    <Table<Row>
      {...props}
      rows={rows}
      keyOf={keyOf}
      id={idOfTable(of)}
      label={`Table of ${of}`}
      ticks={
        shown && {
          header: <SelectAll of={of} />,
          cell: (row) => <SelectRow value={keyOf(row)} name={shown.nameOf(row)} />,
        }
      }
    />
  );
  return (
    <>
      {rows.length > 1 && count !== undefined && !isCountHidden && (
        <p className="text-quiet">{placeOf(rows.length, count, of)}</p>
      )}
      {shown ? (
        <Selectable buttons={shown.buttons} rows={rows}>
          {table}
        </Selectable>
      ) : (
        table
      )}
      {next && more && <p>{more}</p>}
    </>
  );
}

/** Of more than these only the first is not folded. */
const FEW_FILTERS = 3;

/** Above all lists of its page, because it is for all of them. */
export function Filters({ query, filters }: { query: ListQuery; filters: readonly Filter[] }) {
  const { pathname, search } = useLocation();
  const sort = new URLSearchParams(search).get("sort");
  const ref = useFieldsOf(search);
  const shown = filters.length > FEW_FILTERS ? 1 : FEW_FILTERS;
  const fieldOf = (filter: Filter) => (
    <FilterField key={filter.name} {...filter} value={query.filters[filter.name] ?? ""} />
  );
  return (
    <>
      <Form ref={ref} className="console-filters" action={pathname} preventScrollReset>
        {sort && <input type="hidden" name="sort" value={sort} />}
        {filters.slice(0, shown).map(fieldOf)}
        {filters.length > shown && (
          <details>
            <summary>More filters</summary>
            <div className="console-filters">{filters.slice(shown).map(fieldOf)}</div>
          </details>
        )}
        <button type="submit" className="button" data-quiet="">
          Filter
        </button>
      </Form>
      {isFiltered(query) && (
        <ul aria-label="Filters" className="console-chips">
          {filters.map(
            ({ name, label, choices, type }) =>
              query.filters[name] &&
              type !== "hidden" && (
                <li key={name}>
                  <PageLink
                    className="console-chip"
                    preventScrollReset
                    href={changeQuery(search, { [name]: null, after: null, before: null }) || "?"}
                  >
                    <span className="sr-only">Remove </span>
                    {label}: <bdi>{choices?.[query.filters[name]] ?? query.filters[name]}</bdi>
                  </PageLink>
                </li>
              ),
          )}
          <li>
            <PageLink href={pathname} preventScrollReset>
              Clear
            </PageLink>
          </li>
        </ul>
      )}
    </>
  );
}

function FilterField({
  name,
  label,
  choices,
  none = "All",
  placeholder,
  type,
  value,
}: Filter & { value: string }) {
  const id = `filter-${name}`;
  if (type === "hidden") return <input type="hidden" name={name} value={value} />;
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      {choices ? (
        <select key={value} id={id} name={name} className="field-input" defaultValue={value}>
          <option value="">{none}</option>
          {Object.entries(choices).map(([choice, label]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          name={name}
          type={type}
          className="field-input"
          defaultValue={value}
          placeholder={placeholder}
          maxLength={254}
          autoComplete="off"
        />
      )}
    </div>
  );
}

const idOfTable = (of: string) => `table-${of.replaceAll(" ", "-")}`;

/** Links lead to the table, which much above it would push out of sight. */
function Pages({ page, table }: { page: ListPage<unknown> & { count: ListCount }; table: string }) {
  const { rows, next, previous, count } = page;
  const { search } = useLocation();
  if (!next && !previous) return null;
  const to = (direction: "after" | "before", cursor: string) =>
    `${changeQuery(search, { after: null, before: null, [direction]: cursor })}#${table}`;
  return (
    <nav aria-label="Pages" className="console-pages">
      {previous && (
        <PageLink href={`${changeQuery(search, { after: null, before: null }) || "?"}#${table}`}>
          First page
        </PageLink>
      )}
      {previous && <PageLink href={to("before", previous)}>Previous page</PageLink>}
      {next && <PageLink href={to("after", next)}>{nextOf(rows.length, count)}</PageLink>}
    </nav>
  );
}

/** "Next: 51–61". A page with a next one is full. */
function nextOf(shown: number, count: ListCount): string {
  if (!count) return "Next page";
  const first = count.before + shown + 1;
  return `Next: ${formatCount(first)}–${formatCount(Math.min(first + shown - 1, count.total))}`;
}

function CsvLink({ path }: { path: string }) {
  const { search } = useLocation();
  return (
    <p className="console-pages">
      <PageLink href={path + changeQuery(search, { after: null, before: null })}>
        Download all as CSV
      </PageLink>
    </p>
  );
}
