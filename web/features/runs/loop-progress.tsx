import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Disclosure } from '../../ui/disclosure.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { type RunStep, errorMessage } from './run.readers.ts';
import styles from './runs.module.css';
import { useErrorWords } from './use-error-words.ts';

type Progress = NonNullable<RunStep['progress']>;

/** Shows the progress and the first failed items of a loop whose finished items are no longer listed. */
export function LoopProgress({ id, progress }: { id: string; progress: Progress }) {
  const texts = useTexts(runsTexts).loop;
  const words = useErrorWords();
  const { done, total, pages, failed, failures } = progress;
  return (
    <>
      <p>
        {total === undefined ? texts.donePages(done, pages ?? 0) : texts.done(done, total)}
        {failed > 0 && <span className={styles.error}> {texts.failed(failed)}</span>}
      </p>
      {total !== undefined && <progress aria-label={id} value={done} max={Math.max(1, total)} />}
      {failures.length > 0 && (
        <Disclosure
          summaryClass={styles.summary}
          summary={
            <>
              {texts.failures(failures.length)}
              <span className="hidden-visually">: {id}</span>
            </>
          }
        >
          <ul>
            {failures.map((failure) => (
              <li key={failure.index}>
                <code>{failure.step}</code>{' '}
                <span className={styles.error}>
                  <ForeignText text={errorMessage(failure, words) ?? ''} />
                </span>
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  );
}
