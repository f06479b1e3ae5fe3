import { ApiError } from '../api/api-error.ts';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { Button } from './button.tsx';
import { ForeignText } from './foreign-text.tsx';
import styles from './state.module.css';

/** The largest number of characters of a message of the service, because some messages repeat sent values. */
const MOST_DETAIL = 1000;

type ErrorTexts = (typeof uiTexts)['en']['errors'];

interface ErrorPanelProps {
  error: unknown;
  /** Called by the button that tries again. Without this function, the button is not shown. */
  onRetry?: () => void;
  /** The faults at these paths are shown at their fields and are left out here. */
  shownPaths?: readonly string[];
}

/** Shows the error, what a person can do, and the id that an administrator finds in the log. */
export function ErrorPanel({ error, onRetry, shownPaths = [] }: ErrorPanelProps) {
  const ui = useTexts(uiTexts);
  const texts = ui.errors;
  const { text, detail } = reasonOf(error, texts);
  const faults =
    error instanceof ApiError ? error.faults.filter(({ path }) => !shownPaths.includes(path)) : [];
  return (
    <div className={styles.error} role="alert">
      <strong>{texts.title}</strong>
      <div>
        <ForeignText text={text} most={MOST_DETAIL} />
      </div>
      {/* The detail repeats the first fault, so it is shown only when no faults are listed. */}
      {detail && faults.length === 0 && (
        <div className={styles.errorDetail} lang="en">
          <ForeignText text={detail} most={MOST_DETAIL} />
        </div>
      )}
      {faults.length > 0 && (
        <ul>
          {faults.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>
                <ForeignText text={path} />
              </code>{' '}
              <ForeignText text={message} most={MOST_DETAIL} />
            </li>
          ))}
        </ul>
      )}
      {error instanceof ApiError && error.errorId && (
        <div className={styles.errorId}>
          {texts.errorId} <code>{error.errorId}</code>
        </div>
      )}
      {onRetry && (
        <div className={styles.errorActions}>
          <Button size="small" onClick={onRetry}>
            {ui.retry}
          </Button>
        </div>
      )}
    </div>
  );
}

interface Reason {
  /** The explanation of the error and what to do, in the language of the person. */
  text: string;
  /** The message of the service, in English. */
  detail?: string;
}

/** Returns the explanation of a failure for a person. */
function reasonOf(error: unknown, texts: ErrorTexts): Reason {
  if (!(error instanceof ApiError)) return { text: texts.unexpected };
  const { code, detail, retryAfterSeconds } = error;
  switch (code) {
    case 'offline':
    case 'cut_off':
    case 'unauthenticated':
    case 'payload_too_large':
    case 'internal':
      return { text: texts[code] };
    case 'unavailable':
      return { text: texts.unavailable(retryAfterSeconds) };
    case 'rate_limited':
      return { text: texts.rate_limited(retryAfterSeconds) };
    case 'conflict':
    case 'forbidden':
    case 'invalid_arguments':
    case 'not_found':
    case 'too_complex':
      return { text: texts[code], detail };
    default:
      // For codes that the page does not know, the message of the service is the better explanation.
      return { text: code === 'unexpected' || !detail ? texts.unexpected : detail };
  }
}
