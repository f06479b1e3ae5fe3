import { boolean, list, record, text } from './reader.js';

/** Reads the names and titles of channels, for a selection. */
export const channelChoices = record({
  channels: list(record({ name: text, title: text, has_subject: boolean })),
});
/** Reads the names and titles of topics, for a selection. */
export const topicChoices = record({ topics: list(record({ name: text, title: text })) });
