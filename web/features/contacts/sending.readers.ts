import { list, record, text } from '../../api/reader.js';

/** Reads the names and titles of channels and topics, for selections. */
export const channelTitles = record({ channels: list(record({ name: text, title: text })) });
export const topicTitles = record({ topics: list(record({ name: text, title: text })) });
