// Defines the e-mails of the contest about delivery, and the requests to send them.
import { CONTACTS, contactOf, messageOf } from './webhooks.mjs';

/** Returns e-mail number `order`. Each has a different text. */
export function mailOf(order) {
  const { email, firstName } = contactOf(order % CONTACTS);
  return { email, ...messageOf(firstName, order) };
}

/**
 * Returns the request to send the e-mail: a tool call for Switchboard, or the format of the peers. The form `html` uses the
 * template of the contestant, and `dkim` its sender domain.
 */
export function mailRequestOf(order, key, form) {
  const mail = mailOf(order);
  if (!key) return peerRequestOf(mail);
  const { email, subject, body } = mail;
  if (form === 'html') {
    const given = { email, template_id: 'order', variables: { subject, body } };
    return toolRequestOf('send_message', given, key);
  }
  const given = form === 'dkim' ? { ...mail, from: 'shop@example.com' } : mail;
  return toolRequestOf('send_message', given, key);
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
