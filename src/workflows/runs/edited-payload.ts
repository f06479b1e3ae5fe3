/** Holds what a payload decides about a run. */
export interface EditedPayload {
  readonly payload: Buffer;
  readonly bodyHash: Buffer;
  readonly contactId: string | null;
  readonly slotKey: string | null;
}
