/** The advice for each mistake of a sender whose signature was refused. The codes are part of the API. */
export const SIGNATURE_ADVICE = {
  expects_github: 'The trigger expects the signature of GitHub, in X-Hub-Signature-256.',
  expects_meta:
    'The trigger expects the signature of Meta, in X-Hub-Signature-256, made with the app secret.',
  expects_shopify:
    'The trigger expects the signature of Shopify, in X-Shopify-Hmac-Sha256, made with the client secret of the app.',
  expects_slack:
    'The trigger expects the signature of Slack, in X-Slack-Signature, made with the signing secret of the app.',
  expects_stripe:
    'The trigger expects the signature of Stripe, in Stripe-Signature, made with the signing secret of the endpoint.',
  expects_twilio:
    'The trigger expects the signature of Twilio, in X-Twilio-Signature, made with the auth token. Twilio signs the ' +
    'address: enter the webhook_url in the Twilio console exactly as it is shown.',
  expects_typeform:
    'The trigger expects the signature of Typeform, in Typeform-Signature, made with the secret of the webhook there.',
  verify_token: 'hub.verify_token is not the verify_token of the trigger.',
  provider_signature:
    'The delivery has the signature of a provider. Add "signature" with the name of the provider to the trigger, and ' +
    'the secret that the provider shows.',
  missing_signature:
    'The signature is missing. Without "signature" in the trigger, send x-webhook-signature, or webhook-id, ' +
    'webhook-timestamp and webhook-signature.',
  missing_header: 'webhook-signature needs a valid webhook-id and webhook-timestamp.',
  malformed: 'The signature is neither hexadecimal nor base64.',
  secret_sent:
    'The secret itself was sent instead of a signature. Replace the secret, and sign with the new secret.',
  prefix: 'Send the signature alone, without "sha256=" or another prefix.',
  base64: 'x-webhook-signature is hexadecimal, not base64.',
  hex: 'webhook-signature is base64, not hexadecimal.',
  no_version: 'Each signature in webhook-signature begins with "v1,".',
  other_hash: 'The signature was made with another hash. Use HMAC-SHA256.',
  no_key: 'The signature is a plain SHA-256 of the body. Use HMAC-SHA256 with the secret as key.',
  key_encoding:
    'The secret was used in the wrong form. For x-webhook-signature the key is the whole secret as text; for ' +
    'webhook-signature it is the text after "whsec_", decoded from base64.',
  other_content:
    'The signed bytes differ from the expected bytes. x-webhook-signature covers the body alone, webhook-signature covers ' +
    '"{webhook-id}.{webhook-timestamp}.{body}".',
  reserialized:
    'The JSON was encoded again between signing and sending. Sign exactly the bytes that are sent.',
  trailing_newline:
    'Either the signed or the sent body had a line end, but not both. Sign exactly the bytes that are sent.',
  previous_secret: 'The previous secret was used, which is no longer valid. Use the new secret.',
  other_workflow: 'The secret of another workflow was used. Use the secret of this workflow.',
  too_old: 'The signature is right, but the signed time is too old. Send the current time.',
  too_new:
    'The signature is right, but the signed time is too far ahead. Set the clock of the sender.',
  milliseconds: 'webhook-timestamp is in milliseconds. Send seconds.',
  no_time:
    'The signature is right, but the workflow has a tolerance_seconds, and x-webhook-signature covers no time. Sign ' +
    'as in Standard Webhooks.',
  no_match: 'The signature matches no known secret. Check the secret and the signed body.',
  not_examined:
    'The signature was not examined, because the body is too large or too many deliveries were refused.',
} as const;

export type SignatureMistake = keyof typeof SIGNATURE_ADVICE;
