/** Thrown by `ask` where the caller did not declare that it can answer such a question. */
export class MissingCapability extends Error {
  override readonly name = 'MissingCapability';

  constructor(readonly required: Readonly<Record<string, object>>) {
    super('The caller cannot be asked.');
  }
}
