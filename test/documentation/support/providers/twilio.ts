import type { Provider, ProviderAnswer } from '../provider-server.js';

/** Answers like the Messages resource of Twilio, which requires HTTP Basic, and a form with To, From and Body. */
export function twilio(account: string, authToken: string): Provider {
  const expected = `Basic ${Buffer.from(`${account}:${authToken}`).toString('base64')}`;
  return ({ method, path, headers, body }) => {
    if (headers.authorization !== expected) return fault(401, 20_003, 'Authenticate');
    if (method !== 'POST' || path !== `/2010-04-01/Accounts/${account}/Messages.json`) {
      return fault(404, 20_404, 'The requested resource was not found');
    }
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return fault(400, 21_604, "A 'To' phone number is required.");
    }
    const form = new URLSearchParams(body);
    const [to, from, text] = ['To', 'From', 'Body'].map((name) => form.get(name));
    if (!/^\+\d{8,15}$/.test(to ?? '')) return fault(400, 21_211, "Invalid 'To' Phone Number");
    if (!/^\+\d{8,15}$/.test(from ?? '')) return fault(400, 21_212, "Invalid 'From' Number");
    if (!text) return fault(400, 21_602, 'Message body is required.');
    return { status: 201, body: { sid: 'SM1', status: 'queued', to, from, body: text } };
  };
}

function fault(status: number, code: number, message: string): ProviderAnswer {
  return { status, body: { code, message, status } };
}
