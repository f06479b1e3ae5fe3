import type { workflowsTexts } from '../../texts/workflows.texts.ts';

export type ExampleName = keyof (typeof workflowsTexts)['en']['examples'];

export interface Example {
  name: ExampleName;
  trigger: Record<string, unknown>;
  steps: readonly Record<string, unknown>[];
}

const SAVE_PERSON = {
  id: 'person',
  tool: 'create_contact',
  arguments: { email: '{{ trigger.payload.email }}', on_conflict: 'update' },
};
const mail = (id: string, to: string, subject: string, body: string) => ({
  id,
  tool: 'send_message',
  arguments: { contact_id: to, subject, body },
});

const TEAM = {
  id: 'team',
  tool: 'create_contact',
  arguments: { email: 'team@example.com', on_conflict: 'update' },
};
const PAYMENT = 'trigger.payload.data.object';
const ISSUE = 'trigger.payload.issue';
/** A random secret that nobody knows. Every delivery is refused until a person enters the secret of the provider. */
const UNKNOWN_SECRET = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
  byte.toString(16),
).join('-');

/**
 * New workflows can begin with one of these examples. Each example is a complete definition that can be saved without
 * changes.
 */
export const EXAMPLES: readonly Example[] = [
  {
    name: 'welcome',
    trigger: { type: 'webhook', secret: true },
    steps: [
      SAVE_PERSON,
      mail('hello', '{{ person.contact.id }}', 'Welcome', 'Good to have you with us.'),
      { id: 'week', wait: { days: 7 } },
      mail(
        'question',
        '{{ person.contact.id }}',
        'How is it going?',
        'Is there anything you miss?',
      ),
    ],
  },
  {
    name: 'lead',
    trigger: { type: 'webhook', secret: true },
    steps: [
      SAVE_PERSON,
      {
        id: 'tag',
        tool: 'update_contact',
        arguments: {
          contact_id: '{{ person.contact.id }}',
          properties: { source: '{{ trigger.payload.source }}' },
        },
      },
    ],
  },
  {
    name: 'plans',
    trigger: { type: 'webhook', secret: true },
    steps: [
      SAVE_PERSON,
      {
        id: 'by_plan',
        if: "trigger.payload.plan == 'pro'",
        then: [
          mail('pro', '{{ person.contact.id }}', 'Thank you', 'A person will call you tomorrow.'),
        ],
        else: [mail('free', '{{ person.contact.id }}', 'First steps', 'Here is how others begin.')],
      },
    ],
  },
  {
    name: 'reply',
    trigger: { type: 'event', event: 'contact.created' },
    steps: [
      mail('ask', '{{ contact.id }}', 'Hello', 'Shall we call you?'),
      {
        id: 'answer',
        wait_for_event: { event: 'message.received', timeout: { days: 3 } },
      },
      {
        id: 'silent',
        if: 'answer.timed_out',
        then: [mail('again', '{{ contact.id }}', 'Hello again', 'Are you still there?')],
      },
    ],
  },
  {
    name: 'list',
    trigger: { type: 'webhook', secret: true },
    steps: [
      {
        id: 'people',
        for_each: '{{ trigger.payload.people }}',
        as: 'human',
        concurrency: 5,
        steps: [
          {
            id: 'save',
            tool: 'create_contact',
            arguments: { email: '{{ human.email }}', on_conflict: 'update' },
            on_error: 'continue',
          },
        ],
      },
    ],
  },
  {
    name: 'form',
    trigger: {
      type: 'webhook',
      accept: ['form'],
      dedupe_seconds: 600,
      if: "trigger.payload.email contains '@' and trigger.payload.website == ''",
      contact: {
        email: '{{ trigger.payload.email }}',
        first_name: '{{ trigger.payload.name }}',
        tags: ['website'],
      },
    },
    steps: [
      TEAM,
      mail(
        'report',
        '{{ team.id }}',
        'Question from {{ trigger.payload.email }}',
        '{{ trigger.payload.question }}',
      ),
    ],
  },
  {
    name: 'stripe',
    trigger: {
      type: 'webhook',
      signature: 'stripe',
      secret: UNKNOWN_SECRET,
      if: `trigger.payload.type == 'checkout.session.completed' and ${PAYMENT}.payment_status == 'paid'`,
      contact: {
        external_id: `{% if ${PAYMENT}.customer %}stripe:{{ ${PAYMENT}.customer }}{% endif %}`,
        email: `{{ ${PAYMENT}.customer_details.email }}`,
        first_name: `{{ ${PAYMENT}.customer_details.name | split: ' ' | first }}`,
        last_name: `{{ ${PAYMENT}.customer_details.name | split: ' ' | slice: 1, 9 | join: ' ' }}`,
        tags: ['paying'],
        properties: { paid: `{{ ${PAYMENT}.amount_total | divided_by: 100.0 }}` },
      },
    },
    steps: [
      mail(
        'thanks',
        '{{ contact.id }}',
        'Your payment',
        `Thank you. We received {{ contact.properties.paid }} {{ ${PAYMENT}.currency | upcase }}.`,
      ),
    ],
  },
  {
    name: 'github',
    trigger: {
      type: 'webhook',
      signature: 'github',
      secret: true,
      if: `trigger.payload.action == 'opened' and ${ISSUE}`,
    },
    steps: [
      TEAM,
      mail(
        'report',
        '{{ team.id }}',
        `#{{ ${ISSUE}.number }}: {{ ${ISSUE}.title }}`,
        `{{ ${ISSUE}.user.login }} writes:\n\n{{ ${ISSUE}.body }}\n\n{{ ${ISSUE}.html_url }}`,
      ),
    ],
  },
  {
    name: 'schedule',
    trigger: { type: 'schedule', cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
    steps: [
      { id: 'failed', tool: 'list_messages', arguments: { status: 'failed', limit: 100 } },
      {
        id: 'report',
        tool: 'http_request',
        arguments: {
          method: 'POST',
          url: 'https://chat.example.com/hooks/reports',
          json: { failed: '{{ failed.messages }}' },
        },
      },
    ],
  },
  {
    name: 'both',
    trigger: { type: 'manual' },
    steps: [
      {
        id: 'both',
        parallel: [
          [
            {
              id: 'stock',
              tool: 'http_request',
              arguments: { url: 'https://shop.example.com/stock' },
            },
          ],
          [
            {
              id: 'price',
              tool: 'http_request',
              arguments: { url: 'https://shop.example.com/price' },
            },
          ],
        ],
      },
      {
        id: 'different',
        if: 'stock.body.json.number != price.body.json.number',
        stop: 'failed',
        reason: 'The numbers differ.',
      },
    ],
  },
  {
    name: 'alarm',
    trigger: { type: 'event', event: 'run.failed' },
    steps: [
      {
        id: 'tell',
        tool: 'http_request',
        arguments: {
          method: 'POST',
          url: 'https://chat.example.com/hooks/alarms',
          json: { event: '{{ trigger.payload }}' },
        },
        retry: { max_attempts: 5, backoff_seconds: 30 },
      },
    ],
  },
];

/** The definition with which a workflow without an example begins. */
export const NOTHING = {
  trigger: { type: 'manual' },
  steps: [{ id: 'pause', wait: { seconds: 1 } }],
} as const;
