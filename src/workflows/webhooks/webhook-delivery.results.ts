import { parseJsonExactly } from '../../http/request-body.js';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { Choice, Integer, JsonObject, ListOf, Text, Timestamp } from '../../tools/schema/fields.js';
import { SIGNATURE_ADVICE } from './signatures/signature-mistake.js';
import type { DeliveryKind, WebhookDelivery } from './webhook-delivery.entity.js';

export class SignatureMistakeView {
  @Choice(Object.keys(SIGNATURE_ADVICE), 'Code of the mistake.')
  code: string;

  @Text('Advice for the sender.')
  advice: string;
}

export class WebhookDeliveryView {
  @Text()
  id: string;

  @Timestamp()
  received_at: string;

  @Doc('accepted, refused, or test for a delivery to the test URL.')
  @Choice(['accepted', 'refused', 'test'])
  kind: DeliveryKind;

  @Integer('HTTP status of the response.')
  status: number;

  @Text('accepted, duplicate, skipped, challenge, recorded, inactive, or the code of the error.')
  code: string;

  @Text('The run that this delivery or its earlier duplicate started.', {
    nullable: true,
  })
  run_id: string | null;

  @JsonObject('Relevant headers as the sender wrote them; of signatures only the length.')
  headers: object;

  @Integer('Size of the body; null when it was not read.', { nullable: true })
  body_bytes: number | null;

  @Text('SHA-256 of the body, hexadecimal.', { nullable: true })
  body_sha256: string | null;

  @JsonObject('Body of a delivery to the test URL, if it is at most 16 KiB.', { nullable: true })
  payload: object | null;

  @ListOf(() => SignatureMistakeView, 'Likely mistakes in a refused signature.')
  mistakes: SignatureMistakeView[];
}

export function deliveryView(delivery: WebhookDelivery): WebhookDeliveryView {
  return {
    id: delivery.id,
    received_at: delivery.receivedAt.toISOString(),
    kind: delivery.kind,
    status: delivery.status,
    code: delivery.code,
    run_id: delivery.runId,
    headers: delivery.headers,
    body_bytes: delivery.bodyBytes,
    body_sha256: delivery.bodyHash?.toString('hex') ?? null,
    payload: delivery.body && (parseJsonExactly(delivery.body) as object),
    mistakes: delivery.mistakes.map((code) => ({ code, advice: SIGNATURE_ADVICE[code] })),
  };
}

export class WebhookDeliveriesResult {
  @Doc('A POST to this URL is checked and recorded without a run; null for a manual workflow.')
  @Text({ nullable: true })
  test_url: string | null;

  @Text('The last previous secret is valid until this time; null: none is valid.', {
    nullable: true,
  })
  previous_secret_until: string | null;

  @ListOf(
    () => WebhookDeliveryView,
    'The newest 50 of each kind; of refused ones, 50 with and 50 without a valid signature.',
  )
  deliveries: WebhookDeliveryView[];
}
