import { ForeignText } from '../../ui/foreign-text.tsx';
import type { Placed } from './template.readers.ts';
import styles from './templates.module.css';

const MOST = 500;

/** Lists the warnings for an author, with the place of each warning. */
export function TemplateWarnings({
  title,
  warnings,
}: {
  title: string;
  warnings: readonly Placed[];
}) {
  if (warnings.length === 0) return null;
  return (
    <div role="status">
      <strong>{title}</strong>
      <ul className={styles.warnings}>
        {warnings.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <code>
              <ForeignText text={path} />
            </code>{' '}
            <ForeignText text={message} most={MOST} />
          </li>
        ))}
      </ul>
    </div>
  );
}
