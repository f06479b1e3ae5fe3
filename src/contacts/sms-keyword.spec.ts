import { describe, expect, it } from 'vitest';
import { smsKeywordOf } from './sms-keyword.js';

describe(smsKeywordOf, () => {
  it.each([
    ['STOP', 'stop'],
    ['  stop \n', 'stop'],
    ['Stop all', 'stop'],
    ['"STOP".', 'stop'],
    ['Arrêt', 'stop'],
    ['S T O P', 'stop'],
    ['ＳＴＯＰ', 'stop'],
    ['stop\u200b', 'stop'],
    ['Abmelden!', 'stop'],
    ['start', 'start'],
    ['Unstop', 'start'],
    ['help', 'help'],
    ['Hilfe', 'help'],
  ])('reads %j as %s', (text, keyword) => {
    expect(smsKeywordOf(text)).toBe(keyword);
  });

  it.each([
    '',
    'Please stop by tomorrow',
    'stopping',
    'YES',
    'no',
    'STOP'.repeat(20),
    '.',
    'constructor',
  ])('reads %j as no keyword', (text) => {
    expect(smsKeywordOf(text)).toBeUndefined();
  });
});
