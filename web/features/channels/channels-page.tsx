import { useState } from 'react';
import { useTool } from '../../api/tools.ts';
import { channelsTexts } from '../../texts/channels.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import {
  type Channel,
  type Provider,
  channelList,
  deletedProvider,
  providerList,
} from './channel.readers.ts';
import { ProviderDialog } from './provider-dialog.tsx';
import { kindChoices } from './provider-draft.ts';
import { TestDialog } from './test-dialog.tsx';

/** Shows the channels by which messages are sent, and the providers of the organization. */
export function ChannelsPage() {
  const texts = useTexts(channelsTexts);
  const toast = useToast();
  const channels = useTool('list_channels', {}, channelList);
  const providers = useTool('list_channel_providers', {}, providerList);
  const [edited, setEdited] = useState<{ provider: Provider | undefined }>();
  const [tested, setTested] = useState<Provider>();
  const removal = useRemoval(
    'delete_channel_provider',
    deletedProvider,
    ['list_channel_providers', 'list_channels'],
    texts.deleted,
    ({ id }: Provider) => ({ provider_id: id }),
  );
  const choices = kindChoices(channels.data?.channels ?? []);
  const rows = providers.data?.providers;
  const labelOf = ({ channel, kind }: Provider): string =>
    choices.find(({ value }) => value === `${channel}/${kind}`)?.label ?? `${channel}: ${kind}`;
  const add = choices.length > 0 && (
    <Button look="primary" onClick={() => setEdited({ provider: undefined })}>
      {texts.add}
    </Button>
  );
  return (
    <Page title={texts.title} about={texts.about} actions={add}>
      {[channels, providers].map(
        (query, index) =>
          query.error && (
            <ErrorPanel key={index} error={query.error} onRetry={() => void query.refetch()} />
          ),
      )}
      <Section title={texts.channels}>
        {channels.isPending && <Skeleton rows={3} />}
        {channels.data && (
          <Table
            label={texts.channels}
            rows={channels.data.channels}
            keyOf={({ name }) => name}
            columns={[
              { name: texts.channel, cell: ({ title }) => title },
              { name: texts.argument, cell: ({ name }) => <code>{name}</code> },
              {
                name: texts.state,
                cell: (channel) => <ChannelState channel={channel} />,
              },
            ]}
          />
        )}
        {channels.data?.channels.some((channel) => channel.writes_files) && (
          <p>{texts.filesAbout}</p>
        )}
      </Section>
      <Section title={texts.providers}>
        {rows?.length === 0 && <EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
        {rows && rows.length > 0 && (
          <Table
            label={texts.providers}
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { name: texts.kind, cell: labelOf },
              { name: texts.name, cell: ({ name }) => name },
              { name: texts.priority, cell: ({ priority }) => String(priority) },
              {
                name: texts.perSecond,
                cell: ({ per_second: limit }) => (limit === 0 ? texts.noLimit : String(limit)),
              },
              {
                name: texts.actions,
                cell: (provider) => (
                  <>
                    {(
                      [
                        [texts.test, () => setTested(provider)],
                        [texts.changeShort, () => setEdited({ provider })],
                        [texts.delete, () => removal.ask(provider)],
                      ] as const
                    ).map(([label, act]) => (
                      <span key={label}>
                        <Button size="small" onClick={act}>
                          {label}
                          <span className="hidden-visually"> {provider.name}</span>
                        </Button>{' '}
                      </span>
                    ))}
                  </>
                ),
              },
            ]}
          />
        )}
      </Section>
      {edited && (
        <ProviderDialog
          provider={edited.provider}
          choices={choices}
          onClose={() => setEdited(undefined)}
          onDone={() => {
            setEdited(undefined);
            toast(texts.saved);
          }}
        />
      )}
      {tested && <TestDialog provider={tested} onClose={() => setTested(undefined)} />}
      <ConfirmDialog
        {...removal.dialog}
        title={texts.deleteTitle(removal.asked?.name ?? '')}
        description={texts.deleteText}
        action={texts.delete}
      />
    </Page>
  );
}

function ChannelState({ channel }: { channel: Channel }) {
  const texts = useTexts(channelsTexts);
  const { is_ready: isReady, writes_files: writesFiles } = channel;
  if (!isReady) return <Badge>{texts.notReady}</Badge>;
  return (
    <Badge tone={writesFiles ? 'warn' : 'good'}>{writesFiles ? texts.files : texts.ready}</Badge>
  );
}
