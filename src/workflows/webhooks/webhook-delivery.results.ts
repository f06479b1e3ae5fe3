import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsObject, IsString, ValidateNested } from 'class-validator';
import { parseJson } from '../../http/request-body.js';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { SIGNATURE_ADVICE } from './signatures/signature-mistake.js';
import type { DeliveryKind, WebhookDelivery } from './webhook-delivery.entity.js';

export class SignatureMistakeView {
  @Doc('What went wrong, as a code.')
  @IsIn(Object.keys(SIGNATURE_ADVICE))
  code: string;

  @Doc('What to do about it.')
  @IsString()
  advice: string;
}

export class WebhookDeliveryView {
  @IsString()
  id: string;

  @Doc('RFC 3339, UTC.')
  @IsString()
  received_at: string;

  @Doc('Whether it was accepted, refused, or came to the test URL and was recorded.')
  @IsIn(['accepted', 'refused', 'test'])
  kind: DeliveryKind;

  @Doc('HTTP status of the answer.')
  @IsInt()
  status: number;

  @Doc('accepted, duplicate, skipped, recorded, inactive, or the code of the error.')
  @IsString()
  code: string;

  @Doc('The run that it started, or had started before.')
  @Nullable()
  @IsString()
  run_id: string | null;

  @Doc('Headers that matter, as the sender wrote them; of signatures the length only.')
  @IsObject()
  headers: object;

  @Doc('Size of the body; null when it was not read.')
  @Nullable()
  @IsInt()
  body_bytes: number | null;

  @Doc('SHA-256 of the body, hexadecimal.')
  @Nullable()
  @IsString()
  body_sha256: string | null;

  @Doc('What came to the test URL, if it is at most 16 KiB.')
  @Nullable()
  @IsObject()
  payload: object | null;

  @Doc('Why the signature was refused, as far as it can be told.')
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => SignatureMistakeView)
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
    payload: delivery.body && (parseJson(delivery.body) as object),
    mistakes: delivery.mistakes.map((code) => ({ code, advice: SIGNATURE_ADVICE[code] })),
  };
}

export class WebhookDeliveriesResult {
  @Doc('Where a POST is checked and recorded without a run; null for a manual workflow.')
  @Nullable()
  @IsString()
  test_url: string | null;

  @Doc('Until when the previous secret is valid too; null: it is not.')
  @Nullable()
  @IsString()
  previous_secret_until: string | null;

  @Doc('50 of each kind are kept.')
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WebhookDeliveryView)
  deliveries: WebhookDeliveryView[];
}
