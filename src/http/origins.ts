import type { IncomingHttpHeaders } from 'node:http';
import type { Env } from '../config/env.js';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Which origins and hosts are this installation's own. Pure: everything comes from the configuration and the request. */
export class Origins {
  private readonly publicUrl?: URL;

  constructor(private readonly env: Pick<Env, 'publicUrl' | 'isLoopback'>) {
    if (env.publicUrl) this.publicUrl = new URL(env.publicUrl);
  }

  /**
   * False when Host or Origin name another place. A loopback service checks Host because a page whose name was
   * rebound to 127.0.0.1 sends requests that look same-origin to the browser (MCP, transports, security warning).
   */
  allows(headers: IncomingHttpHeaders): boolean {
    return this.allowsHost(headers.host) && (headers.origin === undefined || this.isOwn(headers));
  }

  /** True when `Origin` is present and equals the origin that this request was sent to. */
  isOwn(headers: IncomingHttpHeaders): boolean {
    const { origin } = headers;
    if (origin === undefined) return false;
    if (this.publicUrl && origin === this.publicUrl.origin) return true;
    const parsed = parseUrl(origin);
    // Without a public URL the only name known for sure is that of loopback: Host comes from the client as well.
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

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
