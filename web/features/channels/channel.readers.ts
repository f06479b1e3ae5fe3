import {
  type Read,
  boolean,
  dictionary,
  list,
  nullable,
  number,
  record,
  text,
} from '../../api/reader.ts';

const kind = record({
  kind: text,
  title: text,
  settings: list(
    record({ name: text, title: text, is_required: boolean, default: nullable(text) }),
  ),
  secret_title: text,
});
export type ProviderKind = Read<typeof kind>;

const channel = record({
  name: text,
  title: text,
  is_ready: boolean,
  writes_files: boolean,
  kinds: list(kind),
});
export type Channel = Read<typeof channel>;
export const channelList = record({ channels: list(channel) });

const provider = record({
  id: text,
  channel: text,
  kind: text,
  name: text,
  settings: dictionary(text),
  priority: number,
  per_second: number,
});
export type Provider = Read<typeof provider>;
export const providerList = record({ providers: list(provider) });
export const providerResult = record({ provider });
export const deletedProvider = record({ deleted: text });
export const testedProvider = record({ outcome: text, reason: nullable(text) });
