/** Another worker holds the run now, or it was canceled: whoever meets this stops quietly and writes nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('The lease of the run is lost.');
  }
}
