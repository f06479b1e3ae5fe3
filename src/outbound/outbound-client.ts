import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { JoinedSignal } from '../http/signals.js';
import { connect } from './connect.js';
import { exchange, type HttpAnswer } from './exchange.js';
import { HostResolver } from './host-resolver.js';
import { OutboundRules } from './outbound-rules.js';
import { type OutboundTarget, parseTarget, refused } from './outbound-target.js';

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values must be such as HTTP allows. Host, framing and the connection are not theirs to say. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

const MOST_SECONDS = 15;

/**
 * Requests to addresses that strangers chose. It reaches public addresses only, and those that the operator allows:
 * the name is resolved once, every answer is checked, and the connection goes to one of these answers. It follows no
 * redirect, heeds no proxy of the environment, reads at most 1 MiB, and ends after 15 s.
 */
@Injectable()
export class OutboundClient {
  constructor(
    private readonly rules: OutboundRules,
    private readonly resolver: HostResolver,
  ) {}

  /**
   * The answer, whatever its status. Throws `invalid_arguments` for a URL that may not be reached, and `unavailable`
   * when there was no whole answer. No message quotes what the other side said.
   */
  async send(request: OutboundRequest): Promise<HttpAnswer> {
    const target = parseTarget(request.url);
    const over = new JoinedSignal([request.signal], MOST_SECONDS * 1000);
    try {
      return await this.exchange(target, request, over.signal);
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      const message = over.signal.aborted
        ? `${target.authority} did not answer within ${MOST_SECONDS} s.`
        : `The connection to ${target.authority} failed${codeOf(error)}.`;
      throw new AppError('unavailable', message, { cause: error });
    } finally {
      over.end();
    }
  }

  private async exchange(
    target: OutboundTarget,
    { method, headers, body }: OutboundRequest,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const addresses = await this.addressesOf(target, signal);
    const check = (address: string | undefined): void => this.check(address ?? '', target.port);
    const socket = await connect(target, addresses, check, signal);
    try {
      const message = {
        method,
        path: target.path,
        headers: { ...headers, Host: target.authority },
      };
      return await exchange(socket, { ...message, body }, signal);
    } finally {
      socket.destroy();
    }
  }

  /** All addresses of the target, every one of which may be reached. */
  private async addressesOf(target: OutboundTarget, signal: AbortSignal): Promise<string[]> {
    // Before the name is looked up: names are for asking others, too.
    if (!this.rules.allowsPort(target.port)) throw refused(`must not use port ${target.port}`);
    const addresses = target.isAddress
      ? [target.host]
      : await this.resolver.resolve(target.host, signal);
    if (addresses.length === 0) {
      throw new AppError('unavailable', `The host ${target.host} was not found.`);
    }
    for (const address of addresses) this.check(address, target.port);
    return addresses;
  }

  private check(address: string, port: number): void {
    // One private answer among public ones is no mistake to be forgiven: which one is used is left to chance.
    if (!this.rules.allows(address, port)) {
      throw refused('must lead to a public address, at port 80 or 443');
    }
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? `: ${code}` : '';
}
