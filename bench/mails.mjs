// The e-mails of the contest about delivery: who gets which, and how a contestant is asked to send one.
import { CONTACTS, contactOf, messageOf } from './webhooks.mjs';

/** The e-mail number `order`: each has a text of its own. */
export function mailOf(order) {
  const { email, firstName } = contactOf(order % CONTACTS);
  return { email, ...messageOf(firstName, order) };
}

/** The request to send it: a call of the tool of Switchboard, or what the peers take. */
export function mailRequestOf(order, key) {
  return key ? toolRequestOf('send_message', mailOf(order), key) : peerRequestOf(mailOf(order));
}

export function peerRequestOf(mail) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(mail) };
}

/** A call of a tool by its key. */
export function toolRequestOf(name, given, key) {
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }),
  };
}
