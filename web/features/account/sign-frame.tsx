import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useTexts } from '../../texts/language.tsx';
import { shellTexts } from '../../texts/shell.texts.ts';
import { BrandIcon } from '../../ui/brand-icon.tsx';
import styles from './sign.module.css';

/** Shows the page around the forms for people who are not signed in. */
export function SignFrame({
  title,
  children,
  foot,
}: {
  title: string;
  children: ReactNode;
  foot: ReactNode;
}) {
  const { product } = useTexts(shellTexts);
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <main className={styles.frame}>
      <div className={styles.brand}>
        <BrandIcon size={24} />
        {product}
      </div>
      <div className={styles.card}>
        <h1>{title}</h1>
        {children}
      </div>
      <p>{foot}</p>
    </main>
  );
}
