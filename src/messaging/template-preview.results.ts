import { REASON_CODES, type ReasonCode } from '../channels/reason-code.js';
import { TemplateWarning } from '../templates/template.results.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, ListOf, Nested, Text, TextList } from '../tools/schema/fields.js';

class PreviewedEmail {
  @Text()
  locale: string;

  @Text()
  subject: string;

  @Text({ nullable: true })
  html: string | null;

  @Text()
  text: string;
}

class PreviewedSms {
  @Text()
  locale: string;

  @Text()
  text: string;
}

export class TemplatePreviewResult {
  @Nested(() => PreviewedEmail, { nullable: true })
  email: PreviewedEmail | null;

  @Nested(() => PreviewedSms, { nullable: true })
  sms: PreviewedSms | null;

  @TextList('Variables that got a sample. A message without them is refused.')
  missing: string[];

  @Doc('Why a message with these variables would be refused.')
  @ListOf(() => TemplateWarning)
  faults: TemplateWarning[];

  @Doc('What an author should know, such as values that are not escaped.')
  @ListOf(() => TemplateWarning)
  warnings: TemplateWarning[];
}

export const TEST_STATUSES = ['sent', 'failed', 'uncertain'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

export class TemplateTestResult {
  @Text()
  message_id: string;

  @Text('Your address.')
  to: string;

  @Choice(TEST_STATUSES)
  status: TestStatus;

  @Text({ nullable: true })
  reason: string | null;

  @Choice(REASON_CODES, { nullable: true })
  reason_code: ReasonCode | null;
}
