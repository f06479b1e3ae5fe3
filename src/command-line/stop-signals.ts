/**
 * Returns a controller that aborts at the first Ctrl-C or SIGTERM. A second signal calls `onSecond` and ends the
 * process.
 */
export function stopSignal(onFirst: () => void, onSecond: () => void): AbortController {
  const stop = new AbortController();
  const handle = (): void => {
    if (stop.signal.aborted) {
      onSecond();
      process.exit(2);
    }
    stop.abort();
    onFirst();
  };
  process.on('SIGINT', handle).on('SIGTERM', handle);
  return stop;
}
