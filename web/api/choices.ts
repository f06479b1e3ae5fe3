import { boolean, list, record, text } from './reader.js';

/** Read the names and titles of channels and topics, for selections. */
export const channelChoices = record({
  channels: list(record({ name: text, title: text, has_subject: boolean })),
});
export const topicChoices = record({ topics: list(record({ name: text, title: text })) });
