import { describe, expect, it } from 'vitest';
import { UnreadBytes } from './unread-bytes.js';

describe(UnreadBytes, () => {
  it('chooses a connection of the owner with the most bytes, and not the connection with the largest response', () => {
    const unread = new UnreadBytes<string>();
    unread.add('healthy', 'b', 8);
    for (const connection of ['stalled 1', 'stalled 2', 'stalled 3'])
      unread.add(connection, 'a', 4);
    expect(unread.total).toBe(20);
    expect(unread.findConnectionToEnd()).toBe('stalled 1');
  });

  it('chooses the connection with the oldest unread response of the owner', () => {
    const unread = new UnreadBytes<string>();
    const readFirst = unread.add('reads', 'a', 4);
    unread.add('stalls', 'a', 4);
    unread.add('reads', 'a', 4);
    expect(unread.findConnectionToEnd()).toBe('reads');
    readFirst();
    expect(unread.findConnectionToEnd()).toBe('stalls');
  });

  it('removes all responses of a connection, even when they have several owners', () => {
    const unread = new UnreadBytes<string>();
    const read = unread.add('proxy', 'a', 4);
    unread.add('proxy', 'b', 5);
    unread.add('other', 'b', 1);
    unread.removeAll('proxy');
    read();
    expect(unread.total).toBe(1);
    expect(unread.findConnectionToEnd()).toBe('other');
    unread.removeAll('other');
    expect(unread.total).toBe(0);
    expect(unread.findConnectionToEnd()).toBeUndefined();
  });

  it('removes a response only once', () => {
    const unread = new UnreadBytes<string>();
    unread.add('one', 'a', 1);
    const read = unread.add('two', 'a', 4);
    read();
    read();
    expect(unread.total).toBe(1);
  });
});
