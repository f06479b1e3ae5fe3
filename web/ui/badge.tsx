import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'calm';

/** Shows a state as a word. The colour has the same meaning as the word. */
export function Badge({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={classNames(styles.badge, styles[tone])}>{children}</span>;
}
