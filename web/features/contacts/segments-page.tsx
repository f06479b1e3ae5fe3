import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { segmentsTexts } from '../../texts/segments.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { SegmentCount } from './segment-count.tsx';
import { SegmentDialog } from './segment-dialog.tsx';
import { SEGMENT_KINDS, segmentPage } from './segment.readers.ts';

const ROWS = 50;

/** Lists the segments of contacts. */
export function SegmentsPage() {
  const texts = useTexts(segmentsTexts);
  const { all } = useTexts(contactsTexts);
  const navigate = useNavigate();
  const toast = useToast();
  const [isAdding, setAdding] = useState(false);
  const query = usePagedTool('list_segments', { limit: ROWS }, segmentPage);
  const nameOfKind = (given: string): string => {
    const kind = SEGMENT_KINDS.find((one) => one === given);
    return kind ? texts.kinds[kind] : given;
  };
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <Button look="primary" onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
      back={
        <Link to="/contacts" className={backClass}>
          <Icon name="chevronLeft" />
          {all}
        </Link>
      }
    >
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.segments}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.name,
            cell: ({ id, name }) => (
              <Link to="/contacts/segments/$segmentId" params={{ segmentId: id }}>
                <ForeignText text={name} />
              </Link>
            ),
          },
          { name: texts.kind, cell: ({ kind }) => nameOfKind(kind) },
          { name: texts.contacts, cell: (segment) => <SegmentCount segment={segment} /> },
          { name: texts.description, cell: ({ description }) => description },
          { name: texts.created, cell: ({ created_at: at }) => <Time value={at} /> },
        ]}
        empty={<EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      />
      {isAdding && (
        <SegmentDialog
          onClose={() => setAdding(false)}
          onDone={({ id }) => {
            toast(texts.wasCreated);
            void navigate({ to: '/contacts/segments/$segmentId', params: { segmentId: id } });
          }}
        />
      )}
    </Page>
  );
}
