import { Link } from '@tanstack/react-router';
import { homeTexts } from '../../texts/home.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import styles from './home.module.css';
import { useFirstSteps } from './use-first-steps.ts';

/** Shows the first steps, from a new organization to a run that succeeded. */
export function HomePage() {
  const texts = useTexts(homeTexts);
  const { steps, isPending, error } = useFirstSteps();
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Page title={texts.title} about={texts.about}>
      {error && <ErrorPanel error={error} />}
      {isPending && !error ? (
        <Skeleton rows={5} />
      ) : (
        <>
          <p role="status">
            {done === steps.length ? texts.complete : texts.progress(done, steps.length)}
          </p>
          <ol className={styles.steps}>
            {steps.map(({ name, to, isDone }) => (
              <li key={name} className={classNames(styles.step, isDone && styles.done)}>
                <span className={styles.mark}>{isDone && <Icon name="check" />}</span>
                <div>
                  <h2>
                    {texts.steps[name].title}
                    <span className="hidden-visually">: {isDone ? texts.done : texts.open}</span>
                  </h2>
                  <p className={styles.about}>{texts.steps[name].about}</p>
                </div>
                {!isDone && (
                  <Link to={to} className={buttonClass({ size: 'small' })}>
                    {texts.steps[name].go}
                  </Link>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
    </Page>
  );
}
