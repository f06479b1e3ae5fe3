import { type Session, fetchSession } from '../session.ts';
import { type LiveEvent, readChanges } from './change.ts';

const PATH = '/api/changes';
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** The service sends something every 15 s. A connection that is silent for longer is dead, although no error came. */
const MOST_SILENCE_MS = 40_000;
/**
 * A connection that ends before this time counts as a failure. Without this rule, a proxy that cuts each connection
 * would get requests without a pause.
 */
const LEAST_MS = 5000;

/**
 * Connects to the stream of changes of the organization. Connects again after each failure, until `close()` is called
 * or the session ends.
 */
export class ChangeSource {
  private source?: EventSource;
  private timer?: ReturnType<typeof setTimeout>;
  private failures = 0;
  private readyAt: number | undefined;
  private isClosed = false;
  private readonly reopen = (): void => this.open();

  constructor(
    private readonly session: Session,
    private readonly tell: (event: LiveEvent) => void,
  ) {
    addEventListener('online', this.reopen);
    this.open();
  }

  close(): void {
    this.isClosed = true;
    removeEventListener('online', this.reopen);
    clearTimeout(this.timer);
    this.source?.close();
  }

  private open(): void {
    if (this.isClosed) return;
    this.source?.close();
    const source = new EventSource(PATH);
    this.source = source;
    this.readyAt = undefined;
    this.watch();
    const on = (event: string, act: (data: string) => void): void =>
      source.addEventListener(event, (message: MessageEvent<unknown>) => {
        this.watch();
        act(String(message.data));
      });
    // Data that was read before the stream was open may be out of date.
    on('ready', () => {
      this.readyAt = Date.now();
      this.tell({ type: 'gap' });
    });
    on('changes', (data) => this.tell(parseEvent(data)));
    on('gap', () => this.tell({ type: 'gap' }));
    on('heartbeat', () => undefined);
    on('end', () => this.retry());
    source.addEventListener('error', () => this.retry());
  }

  /** Connects again when no event arrives for too long. */
  private watch(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.retry(), MOST_SILENCE_MS);
  }

  /** Connects again after a pause. The error event has no reason, so the session is checked first. */
  private retry(): void {
    this.source?.close();
    if (this.isClosed) return;
    if (this.readyAt !== undefined && Date.now() - this.readyAt >= LEAST_MS) this.failures = 0;
    this.failures += 1;
    if (this.failures > 1) this.tell({ type: 'lost' });
    clearTimeout(this.timer);
    if (this.failures === 1) void this.check();
    else {
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - 2), LONGEST_PAUSE_MS);
      // A random part of the pause prevents many browsers from connecting again at the same moment.
      this.timer = setTimeout(() => void this.check(), pause * (0.5 + Math.random()));
    }
  }

  private async check(): Promise<void> {
    const before = this.source;
    let isOpen: boolean;
    try {
      isOpen = isSame(await fetchSession(), this.session);
    } catch {
      if (this.source === before) this.retry();
      return;
    }
    if (this.isClosed || this.source !== before) return;
    if (isOpen) this.open();
    else {
      this.close();
      this.tell({ type: 'ended' });
    }
  }
}

/** Returns true when a session is of the same person in the same organization. */
export function isSame(one: Session | null, other: Session): boolean {
  return one?.user.id === other.user.id && one.organization.id === other.organization.id;
}

/** Returns the changes of an event, or a gap for an event that this build of the page cannot read. */
function parseEvent(data: string): LiveEvent {
  try {
    return { type: 'changes', changes: readChanges(JSON.parse(data), '').changes };
  } catch {
    return { type: 'gap' };
  }
}
