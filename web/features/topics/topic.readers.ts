import { type Read, boolean, list, nullable, record, text } from '../../api/reader.js';

const topic = record({
  name: text,
  title: text,
  description: nullable(text),
  default: text,
  double_opt_in: boolean,
});
export type Topic = Read<typeof topic>;
export const topicList = record({ topics: list(topic) });
export const topicResult = record({ topic });
export const deletedTopic = record({ deleted: text });
