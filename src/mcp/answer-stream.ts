/** What a caller can be told while its request is being answered. */
export interface AnswerStream {
  /** Sends a JSON-RPC notification; where the caller is gone it does nothing. Opens the stream if need be. */
  notify(method: string, params: object): void;
  /** Resolves once the caller has taken enough of what was sent to be sent more, or is gone. */
  drained(): Promise<void>;
}
