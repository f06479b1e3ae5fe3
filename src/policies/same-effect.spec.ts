import { describe, expect, it } from 'vitest';
import { sameEffectOf } from './same-effect.js';

describe('sameEffectOf', () => {
  it.each([
    ['create_contact', {}, []],
    ['create_contact', { on_conflict: 'error' }, []],
    ['create_contact', { on_conflict: 'update' }, ['update_contact']],
    ['create_contact', { on_conflict: '{{ trigger.payload.how }}' }, ['update_contact']],
    ['create_contact', { on_conflict: ['error'] }, ['update_contact']],
    ['create_contact', { on_conflict: null }, ['update_contact']],
    ['create_workflow', {}, ['activate_workflow']],
    ['create_workflow', { active: false }, []],
    ['create_workflow', { active: 'false' }, ['activate_workflow']],
    ['record_message', {}, []],
    ['record_message', { channel: 'email' }, []],
    ['record_message', { channel: 'sms' }, ['update_contact', 'send_message']],
    ['report_delivery', { outcome: 'delivered' }, []],
    ['report_delivery', { outcome: 'failed' }, []],
    ['report_delivery', { outcome: 'bounced' }, ['suppress_address']],
    ['report_delivery', { outcome: '{{ trigger.payload.event }}' }, ['suppress_address']],
    ['resolve_message', { outcome: 'sent' }, []],
    ['resolve_message', { outcome: 'resend' }, ['send_message']],
    ['set_topic_subscription', { subscribed: false }, []],
    ['set_topic_subscription', { subscribed: '{{ trigger.payload.yes }}' }, ['send_message']],
    ['merge_contacts', {}, ['delete_contact', 'update_contact']],
    ['get_contact', {}, []],
    ['toString', {}, []],
  ])('of %s with %j returns %j', (name, given, tools) => {
    expect(sameEffectOf(name, given)).toEqual(tools);
  });
});
