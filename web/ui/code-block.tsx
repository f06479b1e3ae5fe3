import { classNames } from './class-names.ts';
import styles from './code-block.module.css';
import { foreignLine } from './cut-text.ts';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  /** The name of the content, for example a file name. */
  title: string;
  code: string;
  isWrapped?: boolean;
}

/** Shows a piece of code with a button that copies it. */
export function CodeBlock({ title: given, code, isWrapped }: CodeBlockProps) {
  const title = foreignLine(given);
  return (
    <figure className={styles.block}>
      <figcaption className={styles.head}>
        {title}
        <CopyButton text={code} label={title} />
      </figcaption>
      {/* A region that scrolls must be reachable by keyboard. */}
      <pre
        className={classNames(styles.code, isWrapped && styles.wrapped)}
        tabIndex={0}
        role="region"
        aria-label={title}
      >
        <code>{code}</code>
      </pre>
    </figure>
  );
}
