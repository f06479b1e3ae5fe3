import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** The names of security events. Each name says what was refused. An operator can set alarms on these names. */
export type SecurityEvent =
  | 'blocked_target'
  | 'cross_site_request'
  | 'expired_key'
  | 'failed_sign_in'
  | 'invalid_permission_link'
  | 'invalid_resume_url'
  | 'invalid_signature'
  | 'isolation_failure'
  | 'quota_exceeded'
  | 'rate_limited'
  | 'refused_statement'
  | 'restricted_key'
  | 'revoked_key'
  | 'unknown_key';

interface Source {
  /** The organization, or the workflow of a webhook, if the event belongs to one. */
  subject?: string;
  address?: string;
}

const PAUSE_MS = 1000;
const MAX_PAUSES = 10_000;

/**
 * Logs security events at level warn (OWASP ASVS 5.0, 16.3). A flood of requests cannot fill the log: there is at most
 * one line a second for each kind of event and subject. The next line says how many events had no line.
 */
@Injectable()
export class SecurityLog {
  private readonly logger = new Logger('Security');
  private readonly pauses = new LRUCache<string, { until: number; unlogged: number }>({
    max: MAX_PAUSES,
  });

  report(event: SecurityEvent, { subject, address }: Source = {}): void {
    const key = `${event} ${subject ?? ''}`;
    const now = performance.now();
    const pause = this.pauses.get(key);
    if (pause && now < pause.until) {
      pause.unlogged += 1;
      return;
    }
    this.pauses.set(key, { until: now + PAUSE_MS, unlogged: 0 });
    this.logger.warn({
      security_event: event,
      subject,
      address,
      unlogged: pause?.unlogged || undefined,
    });
  }
}
