/** The mistakes of senders whose signature was refused, with advice for each. The codes are part of the API. */
export const SIGNATURE_ADVICE = {
  missing_signature:
    'No signature came. Send x-webhook-signature, or webhook-id, webhook-timestamp and webhook-signature.',
  missing_header: 'webhook-signature came without a usable webhook-id and webhook-timestamp.',
  malformed: 'The signature has neither the form of hexadecimal digits nor of base64.',
  secret_sent:
    'The secret itself was sent instead of a signature. Replace the secret, and sign with the new one.',
  prefix: 'Send the signature alone, without "sha256=" or another prefix.',
  base64: 'x-webhook-signature is hexadecimal, not base64.',
  hex: 'webhook-signature is base64, not hexadecimal.',
  no_version: 'Each signature in webhook-signature begins with "v1,".',
  other_hash: 'The signature was made with another hash. Use HMAC-SHA256.',
  no_key: 'The signature is a plain SHA-256 of the body. Use HMAC-SHA256 with the secret as key.',
  key_encoding:
    'The secret was used in the wrong form. For x-webhook-signature the key is the whole secret as text; for ' +
    'webhook-signature it is what is behind "whsec_", decoded from base64.',
  other_content:
    'Other bytes were signed. x-webhook-signature covers the body alone, webhook-signature covers ' +
    '"{webhook-id}.{webhook-timestamp}.{body}".',
  reserialized:
    'The JSON was written anew between signing and sending. Sign exactly the bytes that are sent.',
  trailing_newline:
    'The body was signed with a line end and sent without, or the reverse. Sign exactly the bytes that are sent.',
  previous_secret: 'The previous secret was used, which is not valid any more. Use the new one.',
  other_workflow: 'The secret of another workflow was used.',
  too_old: 'The signature is right, but webhook-timestamp is too long ago.',
  too_new: 'The signature is right, but webhook-timestamp is too far ahead. Set the clock.',
  milliseconds: 'webhook-timestamp is in milliseconds. Send seconds.',
  no_time:
    'The signature is right, but the workflow has a tolerance_seconds, and x-webhook-signature covers no time. Sign ' +
    'as in Standard Webhooks.',
  no_match: 'The signature fits no secret that is known here: another secret, or another body.',
  not_examined: 'Too many or too large to be looked at closely.',
} as const;

export type SignatureMistake = keyof typeof SIGNATURE_ADVICE;
