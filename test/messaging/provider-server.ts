import type { ServerResponse } from 'node:http';
import { type Sink, type SinkRequest, startSink } from '../outbound/support/sink.js';

export const ACCOUNT_SID = 'AC0123456789abcdef0123456789abcdef';
export const AUTH_TOKEN = 'token-of-the-account';
export const API_KEY = 'a1b2c3d4';
export const API_SECRET = 'secret-of-vonage';

/** Says what the server does with the next request. The default accepts the message. */
export type Script =
  | { status: number; headers?: Record<string, string>; body?: object }
  /** Accepts the message and closes the connection without an answer. */
  | 'accept and drop'
  /** Accepts the message and never answers. */
  | 'accept and wait';

export interface AcceptedMessage {
  readonly id: string;
  readonly to: string;
  readonly text: string;
  readonly form: URLSearchParams;
}

/** A server on this machine that speaks the documented API of a provider of SMS. */
export interface ProviderServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SinkRequest[];
  /** Lists the messages that the provider would send. */
  readonly accepted: AcceptedMessage[];
  /** Answers the next requests as these scripts say, one script for each request. */
  script(...next: Script[]): void;
  close(): Promise<void>;
}

/** Speaks POST /2010-04-01/Accounts/{AccountSid}/Messages.json as Twilio documents it. */
export function startTwilio(): Promise<ProviderServer> {
  return startProvider((request, accept) => {
    const expected = `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64')}`;
    if (request.path !== `/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`) {
      return { status: 404, body: { code: 20404, message: 'Not found', status: 404 } };
    }
    if (request.headers.authorization !== expected) {
      return { status: 401, body: { code: 20003, message: 'Authenticate', status: 401 } };
    }
    const form = new URLSearchParams(request.body);
    const [to, text] = [form.get('To'), form.get('Body')];
    if (to === null || text === null || !(form.has('From') || form.has('MessagingServiceSid'))) {
      return { status: 400, body: { code: 21604, message: 'A parameter is missing', status: 400 } };
    }
    const { id } = accept({ to, text, form });
    return { status: 201, body: { sid: id, status: 'queued', to, body: text, error_code: null } };
  }, 'SM');
}

/** Speaks POST /sms/json as Vonage documents it: every answer has the status 200. */
export function startVonage(): Promise<ProviderServer> {
  return startProvider((request, accept) => {
    const form = new URLSearchParams(request.body);
    if (request.path !== '/sms/json') return { status: 404 };
    if (form.get('api_key') !== API_KEY || form.get('api_secret') !== API_SECRET) {
      return vonageAnswer({ status: '4', 'error-text': 'Bad Credentials' });
    }
    const [to, text] = [form.get('to'), form.get('text')];
    if (!to || !text || !form.get('from')) {
      return vonageAnswer({ status: '2', 'error-text': 'Missing from, to or text' });
    }
    const { id } = accept({ to, text, form });
    return vonageAnswer({ status: '0', to, 'message-id': id });
  }, 'VN');
}

export function vonageAnswer(...messages: object[]): { status: number; body: object } {
  return { status: 200, body: { 'message-count': String(messages.length), messages } };
}

type Answer = { status: number; headers?: Record<string, string>; body?: object };
type Accept = (message: Omit<AcceptedMessage, 'id'>) => AcceptedMessage;

async function startProvider(
  answer: (request: SinkRequest, accept: Accept) => Answer,
  prefix: string,
): Promise<ProviderServer> {
  const accepted: AcceptedMessage[] = [];
  const scripts: Script[] = [];
  const accept: Accept = (message) => {
    const stored = { ...message, id: `${prefix}${String(accepted.length + 1).padStart(32, '0')}` };
    accepted.push(stored);
    return stored;
  };
  const write = (response: ServerResponse, { status, headers, body = {} }: Answer): void => {
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  };
  const sink: Sink = await startSink('127.0.0.1', (request, response) => {
    const script = scripts.shift();
    if (typeof script === 'object') return write(response, script);
    const given = answer(request, accept);
    if (script === 'accept and drop') response.destroy();
    else if (script === undefined) write(response, given);
  });
  return {
    url: `http://127.0.0.1:${sink.port}`,
    port: sink.port,
    requests: sink.requests,
    accepted,
    script: (...next) => void scripts.push(...next),
    close: () => sink.close(),
  };
}
