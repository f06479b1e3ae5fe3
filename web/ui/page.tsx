import { type ReactNode, useEffect } from 'react';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { foreignLine } from './cut-text.ts';
import { ForeignText } from './foreign-text.tsx';
import styles from './page.module.css';

interface PageProps {
  title: string;
  about?: ReactNode;
  /** A link to the list that this page belongs to. Give it the class of {@link backClass}. */
  back?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** Shows a page with its heading. It sets the title of the window. */
export function Page({ title, about, back, actions, children }: PageProps) {
  const { product } = useTexts(shellTexts);
  useEffect(() => {
    document.title = `${foreignLine(title)} · ${product}`;
  }, [title, product]);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div>
          {back}
          <h1 className={styles.title} tabIndex={-1}>
            <ForeignText text={title} />
          </h1>
          {about && <p className={styles.about}>{about}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export const backClass = styles.back;

export function Section({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.section}>
      <header>
        <h2>{title}</h2>
        {about && <p>{about}</p>}
      </header>
      {children}
    </section>
  );
}

/** Shows names with their values. Entries without a value are left out. A text may come from outside. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(
          ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
        )
        .map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <ForeignText text={value} /> : value}</dd>
          </div>
        ))}
    </dl>
  );
}
