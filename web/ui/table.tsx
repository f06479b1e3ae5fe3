import type { ReactNode } from 'react';
import type { Pager } from '../api/use-paged-tool.ts';
import { classNames } from './class-names.ts';
import { ErrorPanel } from './error-panel.tsx';
import { ForeignText } from './foreign-text.tsx';
import { PagerBar } from './pager.tsx';
import { Skeleton } from './state.tsx';
import styles from './table.module.css';
import { usePages } from './use-pages.ts';

export interface Column<Row> {
  name: string;
  /**
   * Returns the content of a cell. The first column should contain a link, which then covers the complete row. When the
   * content is an element, each text from outside in it needs a {@link ForeignText}.
   */
  cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** True when the first cell contains a link or a {@link RowButton}. */
  isLinked?: boolean;
  isWaiting?: boolean;
}

/** Shows rows of one kind. On a narrow screen the table scrolls sideways inside its frame. */
export function Table<Row>({ label, columns, rows, keyOf, isLinked, isWaiting }: TableProps<Row>) {
  return (
    <div className={styles.frame} tabIndex={0} role="region" aria-label={label}>
      <table
        className={classNames(styles.table, isWaiting && styles.waiting)}
        aria-busy={isWaiting || undefined}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col">
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={isLinked ? styles.linked : undefined}>
              {columns.map((column) => (
                <td key={column.name}>
                  <span className={styles.cell}>{shown(column.cell(row))}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows the first cell of a row as a button that opens a dialog. The button covers the complete row. */
export function RowButton({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <button type="button" className={styles.open} aria-haspopup="dialog" onClick={onClick}>
      {shown(children)}
    </button>
  );
}

function shown(content: ReactNode): ReactNode {
  return typeof content === 'string' && content !== '' ? <ForeignText text={content} /> : content;
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows' | 'isWaiting'> {
  /** The answer of `usePagedTool`. */
  query: {
    pager: Pager;
    error: Error | null;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  rows: readonly Row[] | undefined;
  /** The content that is shown in place of the table when there are no rows. */
  empty: ReactNode;
}

/** Shows one page of a list, with its states: loading, failed, empty, shown. */
export function PagedTable<Row>({ query, rows, empty, ...table }: PagedTableProps<Row>) {
  const { pager } = query;
  const failure = query.error && (
    <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  );
  // Earlier rows stay while the service is unreachable.
  if (!rows) return failure ?? <Skeleton rows={8} />;
  if (rows.length === 0 && pager.page === 1) return failure ?? empty;
  return (
    <>
      {failure}
      <div>
        <Table {...table} rows={rows} isWaiting={query.isPlaceholderData} />
        <PagerBar pager={pager} list={table.label} />
      </div>
    </>
  );
}

interface LongTableProps<Row> extends TableProps<Row> {
  /** The largest number of rows of a page. */
  size: number;
}

/** Shows the rows of one answer of the service in pages. */
export function LongTable<Row>({ rows, size, ...table }: LongTableProps<Row>) {
  const pages = usePages(rows, size);
  return (
    <div>
      <Table {...table} rows={pages.rows} />
      {pages.pager && <PagerBar pager={pages.pager} list={table.label} />}
    </div>
  );
}
