/** Aborts at the first Ctrl-C or SIGTERM. A second one ends the process at once, after `onSecond`. */
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
