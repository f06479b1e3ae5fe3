/** The properties of a run that depend on its payload. */
export interface EditedPayload {
  readonly payload: Buffer;
  readonly bodyHash: Buffer;
  readonly contactId: string | null;
  readonly slotKey: string | null;
}
