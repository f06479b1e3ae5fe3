// Defines the e-mails of the contest about delivery, and the requests to send them.
import { CONTACTS, contactOf, messageOf } from './webhooks.mjs';

/** Returns e-mail number `order`. Each has a different text. */
export function mailOf(order) {
  const { email, firstName } = contactOf(order % CONTACTS);
  return { email, ...messageOf(firstName, order) };
}

/** Returns the request to send the e-mail: a tool call for Switchboard, or the format of the peers. */
export function mailRequestOf(order, key) {
  return key ? toolRequestOf('send_message', mailOf(order), key) : peerRequestOf(mailOf(order));
}

export function peerRequestOf(mail) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(mail) };
}

/** Returns the HTTP request for a tool call with an API key. */
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
