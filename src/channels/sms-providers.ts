import type { ProviderField, ProviderKind } from './channel.decorator.js';

export const HTTP_URL: Pick<ProviderField, 'pattern' | 'rule'> = {
  pattern: /https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?/,
  rule: 'must be an http or https URL without a query',
};
const SENDER = {
  pattern: /\+?[0-9]{3,15}|[A-Za-z0-9 ]{1,11}/,
  rule: 'must be a phone number such as +4930123456, a short code, or at most 11 letters and digits',
};

/** Any service with the REST API of Twilio's Programmable Messaging, at any base URL. */
export const TWILIO: ProviderKind = {
  title: 'Twilio or compatible',
  fields: {
    account_sid: {
      title: 'Account SID',
      pattern: /[A-Za-z0-9_-]{1,64}/,
      rule: 'must be the SID of the account',
    },
    from: { title: 'Sender', optional: true, ...SENDER },
    messaging_service_sid: {
      title: 'Messaging Service SID',
      optional: true,
      pattern: /[A-Za-z0-9_-]{1,64}/,
      rule: 'must be the SID of a messaging service',
    },
    base_url: {
      title: 'Base URL',
      default: 'https://api.twilio.com',
      decidesReceiver: true,
      ...HTTP_URL,
    },
    status_callback: { title: 'URL for status reports', optional: true, ...HTTP_URL },
  },
  secret: {
    title: 'Auth token',
    pattern: /[\x21-\x7e]{1,256}/,
    rule: 'must be printable ASCII without spaces',
  },
};

/** The SMS API of Vonage (formerly Nexmo). */
export const VONAGE: ProviderKind = {
  title: 'Vonage SMS API',
  fields: {
    api_key: {
      title: 'API key',
      pattern: /[A-Za-z0-9]{1,64}/,
      rule: 'must be the API key of the account',
    },
    from: { title: 'Sender', ...SENDER },
    base_url: {
      title: 'Base URL',
      default: 'https://rest.nexmo.com',
      decidesReceiver: true,
      ...HTTP_URL,
    },
    status_callback: { title: 'URL for status reports', optional: true, ...HTTP_URL },
  },
  secret: {
    title: 'API secret',
    pattern: /[\x21-\x7e]{1,256}/,
    rule: 'must be printable ASCII without spaces',
  },
};
