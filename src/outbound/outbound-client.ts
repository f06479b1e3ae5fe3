import type { Socket } from 'node:net';
import type { OutboundProxy } from '../config/outbound-proxy.js';
import { AppError } from '../errors/app-error.js';
import { JoinedSignal } from '../http/signals.js';
import { HostResolver } from './host-resolver.js';
import { type HttpRequest, type HttpResponse, connect, exchange, secure } from './http-exchange.js';
import { OutboundRules } from './outbound-rules.js';
import { type OutboundTarget, parseTarget } from './outbound-target.js';
import { connectThrough } from './proxy-connection.js';

/**
 * A request to send. Its headers must be valid and must not set Host, framing or connection headers; `readHeaders`
 * checks this.
 */
interface OutboundRequest extends Omit<HttpRequest, 'path'> {
  readonly url: string;
  readonly signal: AbortSignal;
  /** True if the request contains a secret, which is sent without TLS only to addresses that OUTBOUND_ALLOW names. */
  readonly hasSecrets?: boolean;
  /** The longest time of the whole exchange, in seconds. The default is 15. */
  readonly timeoutSeconds?: number;
  /** Is called when the connection is established. Before that, the other system cannot have received the request. */
  readonly onConnected?: () => void;
}

const DEFAULT_SECONDS = 15;

/**
 * Sends HTTP requests to URLs that organizations chose, but only to public addresses and those that the operator
 * allows. It resolves the host once, checks every address, and connects to one of them, so that DNS cannot change the
 * address after the check. It follows no redirects, reads at most 1 MiB unless the request allows more, and stops after
 * a time limit. It ignores proxy settings of the system. When the operator has set a proxy, it makes no direct
 * connection, and asks the proxy for a connection to a checked address.
 */
export class OutboundClient {
  constructor(
    private readonly rules: OutboundRules,
    private readonly resolver: HostResolver,
    private readonly proxy?: OutboundProxy,
  ) {}

  /**
   * Returns the response, whatever its status. Throws `invalid_arguments` for a URL that is not allowed, `rejected` for
   * a response that is too large, and `unavailable` when no complete response arrives. No error quotes the response.
   */
  async send(request: OutboundRequest): Promise<HttpResponse> {
    const target = parseTarget(request.url);
    const { timeoutSeconds: seconds = DEFAULT_SECONDS } = request;
    const deadline = new JoinedSignal([request.signal], seconds * 1000);
    try {
      return await this.exchange(target, request, deadline.signal);
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      const message = deadline.signal.aborted
        ? `${target.authority} did not answer within ${seconds} s.`
        : `The connection to ${target.authority} failed${errorCodeSuffix(error)}.`;
      throw new AppError('unavailable', message, { cause: error });
    } finally {
      deadline.end();
    }
  }

  private async exchange(
    target: OutboundTarget,
    { method, headers, body, limits, onConnected, hasSecrets = false }: OutboundRequest,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const addresses = await this.resolve(target, signal);
    if (hasSecrets && !target.isTls) this.assertPlainSecrets(addresses);
    const socket = await this.connect(target, addresses, signal);
    try {
      onConnected?.();
      const message = {
        method,
        path: target.path,
        headers: { ...headers, Host: target.authority },
      };
      return await exchange(socket, { ...message, body, limits }, signal);
    } finally {
      socket.destroy();
    }
  }

  private async connect(
    target: OutboundTarget,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Socket> {
    if (this.proxy) {
      const socket = await connectThrough(this.proxy, addresses, target.port, signal);
      return await secure(socket, target, signal);
    }
    const check = (address: string | undefined): void => this.check(address ?? '', target.port);
    return await connect(target, addresses, check, signal);
  }

  /** Resolves the target. Throws if one of its addresses is not allowed. */
  private async resolve(target: OutboundTarget, signal: AbortSignal): Promise<string[]> {
    // The port is checked before the look-up, so that a refused request cannot send data to a name server.
    if (!this.rules.allowsPort(target.port))
      throw AppError.invalidField(
        'url',
        `must use port 80 or 443, or one that OUTBOUND_ALLOW names, not ${target.port}`,
      );
    const addresses = target.isAddress
      ? [target.host]
      : await this.resolver.resolve(target.host, signal);
    if (addresses.length === 0) {
      throw new AppError('unavailable', `The host ${target.host} has no address in DNS.`);
    }
    for (const address of addresses) this.check(address, target.port);
    return addresses;
  }

  private assertPlainSecrets(addresses: readonly string[]): void {
    if (addresses.every((address) => this.rules.allowsPlainSecrets(address))) return;
    throw AppError.invalidField(
      'url',
      'must begin with https://, because the request contains a secret. Without TLS, a secret is sent only to an address that OUTBOUND_ALLOW names',
    );
  }

  private check(address: string, port: number): void {
    // All addresses must be allowed, because the connection may go to any of them.
    if (!this.rules.allows(address, port)) {
      throw AppError.invalidField(
        'url',
        'must lead to a public address at port 80 or 443, or to one that OUTBOUND_ALLOW names',
      );
    }
  }
}

function errorCodeSuffix(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? `: ${code}` : '';
}
