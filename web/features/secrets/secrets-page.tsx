import { useState } from 'react';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { secretsTexts } from '../../texts/secrets.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { SECRET_KINDS } from './secret-draft.ts';
import { type Secret, deletedSecret, secretList } from './secret.readers.ts';

/** Shows the secrets that requests of workflows use. Their values are never shown. */
export function SecretsPage() {
  const texts = useTexts(secretsTexts);
  const toast = useToast();
  const query = useTool('list_secrets', {}, secretList);
  const [edited, setEdited] = useState<{ secret: Secret | undefined }>();
  const removal = useRemoval(
    'delete_secret',
    deletedSecret,
    ['list_secrets'],
    texts.deleted,
    ({ name }: Secret) => ({ name }),
  );
  const secrets = query.data?.secrets;
  const add = (
    <Button look="primary" onClick={() => setEdited({ secret: undefined })}>
      {texts.add}
    </Button>
  );
  const kindOf = (name: string): string => {
    const kind = SECRET_KINDS.find((one) => one === name);
    return kind ? texts.kinds[kind].name : name;
  };
  return (
    <Page title={texts.title} about={texts.about} actions={secrets?.length ? add : undefined}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={5} />}
      {secrets?.length === 0 && (
        <EmptyState title={texts.none} actions={add}>
          {texts.noneAbout}
        </EmptyState>
      )}
      {secrets && secrets.length > 0 && (
        <Table
          label={texts.title}
          rows={secrets}
          keyOf={({ name }) => name}
          columns={[
            { name: texts.name, cell: ({ name }) => <code>{name}</code> },
            { name: texts.kind, cell: ({ kind }) => kindOf(kind) },
            { name: texts.hosts, cell: ({ hosts }) => hosts.join(', ') },
            { name: texts.changed, cell: ({ updated_at: at }) => <Time value={at} /> },
            {
              name: texts.actions,
              cell: (secret) => (
                <>
                  <Button size="small" onClick={() => setEdited({ secret })}>
                    {texts.changeShort}
                    <span className="hidden-visually"> {secret.name}</span>
                  </Button>{' '}
                  <Button size="small" onClick={() => removal.ask(secret)}>
                    {texts.delete}
                    <span className="hidden-visually"> {secret.name}</span>
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {edited && (
        <SecretDialog
          secret={edited.secret}
          onClose={() => setEdited(undefined)}
          onDone={() => {
            setEdited(undefined);
            toast(texts.saved);
          }}
        />
      )}
      <ConfirmDialog
        {...removal.dialog}
        title={texts.deleteTitle(removal.asked?.name ?? '')}
        description={texts.deleteText}
        action={texts.delete}
      />
    </Page>
  );
}
