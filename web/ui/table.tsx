import type { ReactNode } from 'react';
import type { Pager } from '../api/use-paged-tool.ts';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { ErrorPanel } from './error-panel.tsx';
import { Icon } from './icon.tsx';
import { Skeleton } from './state.tsx';
import styles from './table.module.css';

export interface Column<Row> {
  name: string;
  /** The first column should hold a link. It then covers the whole row. */
  cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  /** Names the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** It is true when the first cell holds a link or a {@link RowButton}. */
  isLinked?: boolean;
  isWaiting?: boolean;
}

/** Shows rows of one kind. On a narrow screen it scrolls sideways inside its frame. */
export function Table<Row>({ label, columns, rows, keyOf, isLinked, isWaiting }: TableProps<Row>) {
  return (
    <div className={styles.frame} tabIndex={0} role="region" aria-label={label}>
      <table className={classNames(styles.table, isWaiting && styles.waiting)}>
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
                  <span className={styles.cell}>{column.cell(row)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows the first cell of a row that opens something over the page. It covers the whole row. */
export function RowButton({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <button type="button" className={styles.open} aria-haspopup="dialog" onClick={onClick}>
      {children}
    </button>
  );
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows' | 'isWaiting'> {
  /** Has the answer of `usePagedTool`. */
  query: {
    pager: Pager;
    error: Error | null;
    isPending: boolean;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  rows: readonly Row[] | undefined;
  /** This is shown in place of the table when there are no rows. */
  empty: ReactNode;
}

/** Shows one page of a list, with its states: loading, failed, empty, shown. */
export function PagedTable<Row>({ query, rows, empty, ...table }: PagedTableProps<Row>) {
  const { pager } = query;
  const texts = useTexts(uiTexts);
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (query.isPending || !rows) return <Skeleton rows={8} />;
  if (rows.length === 0 && pager.page === 1) return empty;
  return (
    <div>
      <Table {...table} rows={rows} isWaiting={query.isPlaceholderData} />
      <nav className={styles.pager} aria-label={texts.pager.label}>
        <span aria-live="polite">{texts.pager.page(pager.page)}</span>
        <Button size="small" disabled={!pager.previous} onClick={pager.previous}>
          <Icon name="chevronLeft" />
          {texts.pager.previous}
        </Button>
        <Button size="small" disabled={!pager.next} onClick={pager.next}>
          {texts.pager.next}
          <Icon name="chevronRight" />
        </Button>
      </nav>
    </div>
  );
}
