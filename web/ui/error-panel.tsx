import { ApiError } from '../api/api-error.ts';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { Button } from './button.tsx';
import styles from './state.module.css';

type ErrorTexts = (typeof uiTexts)['en']['errors'];

interface ErrorPanelProps {
  error: unknown;
  /** When set, a button tries again. */
  onRetry?: () => void;
  /** The faults at these paths are shown at their fields and are left out here. */
  shownPaths?: readonly string[];
}

/** Says what went wrong, what a person can do, and the id that an administrator finds in the log. */
export function ErrorPanel({ error, onRetry, shownPaths = [] }: ErrorPanelProps) {
  const ui = useTexts(uiTexts);
  const texts = ui.errors;
  const faults =
    error instanceof ApiError ? error.faults.filter(({ path }) => !shownPaths.includes(path)) : [];
  return (
    <div className={styles.error} role="alert">
      <strong>{texts.title}</strong>
      <div>{describeError(error, texts)}</div>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
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

/** Returns the reason of a failure in the words of the person, or the detail that the service wrote. */
export function describeError(error: unknown, texts: ErrorTexts): string {
  if (!(error instanceof ApiError)) return texts.unexpected;
  switch (error.code) {
    case 'offline':
    case 'cut_off':
    case 'unexpected':
    case 'unauthenticated':
    case 'payload_too_large':
    case 'unavailable':
    case 'internal':
      return texts[error.code];
    case 'not_found':
      return error.detail || texts.not_found;
    case 'rate_limited':
      return texts.rate_limited(error.retryAfterSeconds ?? 1);
    default:
      return error.detail || texts.unexpected;
  }
}
