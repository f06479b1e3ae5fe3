import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import styles from './state.module.css';

interface EmptyProps {
  title: string;
  /** The text that says what to do. */
  children: ReactNode;
  actions?: ReactNode;
}

/** Shows a text in place of a list without entries. */
export function EmptyState({ title, children, actions }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      <p>{children}</p>
      {actions && <div className={styles.emptyActions}>{actions}</div>}
    </div>
  );
}

/** While content is loading, shows one grey bar for each expected row, so that the page does not move later. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  const texts = useTexts(uiTexts);
  return (
    <div className={styles.skeleton} role="status" aria-busy>
      <span className="hidden-visually">{texts.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={styles.bar} />
      ))}
    </div>
  );
}
