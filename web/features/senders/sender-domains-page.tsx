import { useState } from 'react';
import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { senderDomainsTexts } from '../../texts/sender-domains.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { AddDomainDialog } from './add-domain-dialog.tsx';
import { SenderDomainSection } from './sender-domain-section.tsx';
import {
  type SenderDomain,
  removedSenderDomain,
  senderDomainList,
} from './sender-domain.readers.ts';

/** Shows the sender domains of the organization, with the records to publish. */
export function SenderDomainsPage() {
  const texts = useTexts(senderDomainsTexts);
  const toast = useToast();
  const query = useTool('list_sender_domains', {}, senderDomainList);
  const [isAdding, setAdding] = useState(false);
  const removal = useRemoval(
    'remove_sender_domain',
    removedSenderDomain,
    ['list_sender_domains'],
    texts.removed,
    ({ id }: SenderDomain) => ({ domain_id: id }),
  );
  const domains = query.data?.domains;
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  );
  return (
    <Page title={texts.title} about={texts.about} actions={domains?.length ? add : undefined}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={5} />}
      {domains?.length === 0 && (
        <EmptyState title={texts.none} actions={add}>
          {texts.noneAbout}
        </EmptyState>
      )}
      {domains?.map((domain) => (
        <SenderDomainSection key={domain.id} domain={domain} onRemove={() => removal.ask(domain)} />
      ))}
      {isAdding && (
        <AddDomainDialog
          onClose={() => setAdding(false)}
          onDone={() => {
            setAdding(false);
            toast(texts.added);
          }}
        />
      )}
      <ConfirmDialog
        {...removal.dialog}
        title={texts.removeTitle(removal.asked?.domain ?? '')}
        description={texts.removeText}
        action={texts.remove}
      />
    </Page>
  );
}
