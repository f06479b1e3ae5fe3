import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { Env } from '../config/env.js';
import { parseUrl } from '../text/parse-url.js';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Decides from the configuration whether the Host and Origin headers of a request belong to this installation. */
@Injectable()
export class Origins {
  private readonly publicUrl?: URL;

  constructor(@Inject(Env) private readonly env: Pick<Env, 'publicUrl' | 'isLoopback'>) {
    if (env.publicUrl) this.publicUrl = new URL(env.publicUrl);
  }

  /**
   * Returns false when Host or Origin belong to another site. On loopback, the check of Host prevents DNS rebinding: a
   * browser treats a page whose host name resolves to 127.0.0.1 as a page of this service (see the security warning of
   * MCP, transports).
   */
  allows(headers: IncomingHttpHeaders): boolean {
    return this.allowsHost(headers.host) && (headers.origin === undefined || this.isOwn(headers));
  }

  /** Returns true when `Origin` is present and equals the origin that this request was sent to. */
  isOwn(headers: IncomingHttpHeaders): boolean {
    const { origin } = headers;
    if (origin === undefined) return false;
    if (this.publicUrl && origin === this.publicUrl.origin) return true;
    const parsed = parseUrl(origin);
    // The client controls the Host header. So without a public URL only loopback names can be trusted.
    if (!parsed || parsed.origin !== origin || parsed.host !== headers.host) return false;
    return LOOPBACK_NAMES.has(parsed.hostname);
  }

  private allowsHost(host: string | undefined): boolean {
    if (!this.env.isLoopback) return true;
    const parsed = parseUrl(`http://${host ?? ''}`);
    if (!parsed) return false;
    return LOOPBACK_NAMES.has(parsed.hostname) || parsed.hostname === this.publicUrl?.hostname;
  }
}
