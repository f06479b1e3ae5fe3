import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { segmentsTexts } from '../../texts/segments.texts.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, Page, Section, backClass } from '../../ui/page.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { useToast } from '../../ui/toast.tsx';
import { UnloadedPage } from '../../ui/unloaded-page.tsx';
import { readFilters } from './contact-filters.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { SegmentContacts } from './segment-contacts.tsx';
import { SegmentCount } from './segment-count.tsx';
import { SegmentDialog } from './segment-dialog.tsx';
import {
  SEGMENT_KINDS,
  SEGMENT_TOOLS,
  type Segment,
  deletedSegment,
  segmentResult,
} from './segment.readers.ts';

/** Shows a segment with its conditions and its contacts. */
export function SegmentPage() {
  const { segmentId } = useParams({ from: '/signed-in/contacts/segments/$segmentId' });
  return <OneSegment key={segmentId} segmentId={segmentId} />;
}

function OneSegment({ segmentId }: { segmentId: string }) {
  const texts = useTexts(segmentsTexts);
  const toast = useToast();
  const navigate = useNavigate();
  const query = useTool('get_segment', { segment_id: segmentId }, segmentResult);
  const remove = useToolCall('delete_segment', deletedSegment, ['list_segments']);
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const back = (
    <Link to="/contacts/segments" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  const segment = query.data?.segment;
  if (!segment) return <UnloadedPage title={texts.one} back={back} query={query} />;
  const kind = SEGMENT_KINDS.find((one) => one === segment.kind);
  const asSearch = { filters: [{ field: 'segment', operator: 'is', value: segment.id }] };
  return (
    <Page
      title={segment.name}
      back={back}
      actions={
        <>
          <Link to="/contacts" search={asSearch} className={buttonClass()}>
            {texts.show}
          </Link>
          <Button onClick={() => setOpen('edit')}>{texts.edit}</Button>
          <Button look="danger" onClick={() => setOpen('delete')}>
            {texts.delete}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          [texts.kind, kind ? texts.kinds[kind] : segment.kind],
          [texts.contacts, <SegmentCount key="contacts" segment={segment} />],
          [texts.description, segment.description],
        ]}
      />
      {segment.filters && (
        <Conditions
          key={JSON.stringify(segment.filters)}
          segment={segment}
          given={segment.filters}
        />
      )}
      <SegmentContacts segment={segment} />
      {open === 'edit' && (
        <SegmentDialog
          segment={segment}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen(undefined);
            toast(texts.saved);
          }}
        />
      )}
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={() => {
          setOpen(undefined);
          remove.reset();
        }}
        title={texts.deleteTitle}
        description={texts.deleteText}
        action={texts.delete}
        isDangerous
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(
            { segment_id: segment.id },
            {
              onSuccess: () => {
                toast(texts.deleted);
                void navigate({ to: '/contacts/segments' });
              },
            },
          )
        }
      />
    </Page>
  );
}

/** Edits the conditions of a dynamic segment. Groups are read-only, because the fields cannot show them. */
function Conditions({ segment, given }: { segment: Segment; given: readonly unknown[] }) {
  const texts = useTexts(segmentsTexts);
  const toast = useToast();
  const save = useToolCall('update_segment', segmentResult, SEGMENT_TOOLS);
  const filters = readFilters(given);
  const hasGroups = filters.length < given.length;
  return (
    <Section title={texts.conditions} about={hasGroups ? texts.groups : texts.conditionsAbout}>
      {given.length === 0 && <p>{texts.everybody}</p>}
      {hasGroups ? (
        <TextViewer title={texts.conditions} value={given} />
      ) : (
        <FilterBuilder
          filters={filters}
          action={texts.save}
          onApply={(next) =>
            save.mutate(
              { segment_id: segment.id, filters: next },
              { onSuccess: () => toast(texts.saved) },
            )
          }
        />
      )}
      {save.error && <ErrorPanel error={save.error} />}
    </Section>
  );
}
