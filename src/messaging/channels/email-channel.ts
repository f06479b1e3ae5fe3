/** One e-mail in plain text. */
export interface Email {
  /** Id of the message: the same at every attempt, so that what was handed over twice can be recognized. */
  id: string;
  to: string;
  subject: string;
  text: string;
  date: Date;
}

/** What came of handing over: `refused` for good, or `failed` this time. The reason is fit to be shown. */
export type Delivery =
  | { outcome: 'sent' }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'failed'; reason: string };

/** A way that e-mails leave the service. */
export abstract class EmailChannel {
  /** Hands the e-mail over; never throws. After `signal` the outcome means nothing. */
  abstract deliver(email: Email, signal: AbortSignal): Promise<Delivery>;

  /** Lets go of connections. */
  abstract close(): void;
}
