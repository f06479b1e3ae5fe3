import { describe, expect, it } from 'vitest';
import type { Step } from './definition.js';
import { webhookNeeds } from './webhook-needs.js';

const tool = (text: string): Step[] => [{ id: 'a', tool: 't', arguments: { deep: [{ text }] } }];

describe('the needs of a webhook', () => {
  it.each([
    '{{ trigger.headers.x-github-event }}',
    '{{ trigger . query.a }}',
    "{{ trigger['method'] }}",
    '{{ trigger.received_at }}',
    '{{ trigger | json }}',
    '{% assign all = trigger %}',
    "{{ ['trigger'].headers }}",
  ])('include the request for %s', (text) => {
    expect(webhookNeeds({}, tool(text))).toEqual({ request: true });
  });

  it.each([
    '{{ trigger.payload.headers }}',
    '{{ trigger.type }}',
    '{{ look_up.trigger }}',
    'Pull the trigger.',
    '{{ trigger_time }}',
  ])('do not include the request for %s', (text) => {
    expect(webhookNeeds({}, tool(text))).toEqual({});
  });

  it('include the request for conditions and limits of the trigger, and for conditions of steps', () => {
    const needed = { request: true };
    expect(webhookNeeds({ if: "trigger.method == 'GET'" }, [])).toEqual(needed);
    const concurrency = { runs_per_key: 1, key: '{{ trigger.headers.x-shop }}' };
    expect(webhookNeeds({ limits: { concurrency } }, [])).toEqual(needed);
    expect(webhookNeeds({}, [{ id: 'a', tool: 't', if: 'trigger.query.a' }])).toEqual(needed);
  });

  it('include the answer for a respond step at any depth', () => {
    const respond: Step = { id: 'b', respond: {} };
    expect(webhookNeeds({}, [{ id: 'a', if: 'x', then: [respond] }])).toEqual({ answer: true });
    const onFailure: Step = { id: 'workflow.on_failure', on_failure: [respond] };
    expect(webhookNeeds({}, [onFailure])).toEqual({ answer: true });
    expect(webhookNeeds({}, [{ id: 'a', tool: 't', on_error: [respond] }])).toEqual({
      answer: true,
    });
  });
});
