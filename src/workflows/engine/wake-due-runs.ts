const BATCH = 500;
const MOST_BATCHES = 100;

/**
 * Queues due runs in batches until a batch is not full. Ends after 100 batches at the latest. Otherwise due rows that
 * no batch can change would keep the sweep running without a pause.
 */
export async function wakeDueRuns(wake: (batchSize: number) => Promise<number>): Promise<void> {
  for (let batch = 1; batch <= MOST_BATCHES; batch += 1) {
    if ((await wake(BATCH)) < BATCH) return;
  }
}
