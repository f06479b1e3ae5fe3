/** Another worker holds the run now, or it was canceled: whoever meets this stops quietly and writes nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('The lease of the run is lost.');
  }
}

/** For a statement that only the holder of the run may carry out. */
export function assertHeld(rows: number): void {
  if (rows === 0) throw new LeaseLost();
}
