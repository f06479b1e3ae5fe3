import { memo, startTransition, useMemo, useState } from 'react';
import { useFormats } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';
import {
  cutText,
  foreignLine,
  formatJson,
  isTooDeep,
  revealHidden,
  splitText,
} from './cut-text.ts';

const ALL_LEVELS = Number.POSITIVE_INFINITY;

/**
 * Shows a text or a JSON value of any size as text. Long lines, many lines and deep values are cut until the person
 * asks for all of them. Invisible characters are shown as codes.
 */
export function TextViewer({ title: given, value }: { title: string; value: unknown }) {
  const title = foreignLine(given);
  const texts = useTexts(uiTexts).viewer;
  const formats = useFormats();
  const [isWhole, setWhole] = useState(false);
  const [whole, shown, isCut] = useMemo(() => {
    const isDeep = typeof value !== 'string' && isTooDeep(value);
    const text = typeof value === 'string' ? value : formatJson(value);
    const cut = cutText(text);
    return [text, revealHidden(cut), isDeep || cut.length < text.length] as const;
  }, [value]);
  const all = useMemo(
    () => (isCut && typeof value !== 'string' ? formatJson(value, ALL_LEVELS) : whole),
    [isCut, value, whole],
  );
  // Without the transition, megabytes of text would be rendered in one piece and block the page.
  const toggle = (): void => startTransition(() => setWhole(!isWhole));
  return (
    <figure className={styles.block}>
      <figcaption className={styles.head}>
        {title}
        <CopyButton text={all} label={title} />
      </figcaption>
      <pre
        className={classNames(styles.code, styles.wrapped)}
        tabIndex={0}
        role="region"
        aria-label={title}
      >
        <code>{isWhole ? <WholeText text={all} /> : shown}</code>
      </pre>
      {isCut && (
        <div className={styles.foot}>
          {!isWhole && texts.cut(formats.bytes(shown.length))}
          <Button size="small" onClick={toggle}>
            {isWhole ? texts.showLess : texts.showAll(formats.bytes(whole.length))}
          </Button>
        </div>
      )}
    </figure>
  );
}

/** Shows a text in parts, so that the browser lays out only the visible parts. */
function WholeText({ text }: { text: string }) {
  const parts = useMemo(() => splitText(text), [text]);
  return parts.map((part, index) => <Part key={index} text={part} />);
}

const Part = memo(({ text }: { text: string }) => (
  <span className={styles.part}>{revealHidden(text)}</span>
));
