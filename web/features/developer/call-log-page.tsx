import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { callsTexts } from '../../texts/calls.texts.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { OutcomeBadge, useOutcomeOptions } from '../../ui/outcome-badge.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { LongTable, RowButton } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Call, CallFilters } from './call.readers.ts';
import { LinkedCall } from './linked-call.tsx';
import styles from './developer.module.css';
import { useCallLog } from './use-call-log.ts';

const ROWS = 50;

/** Shows the log of calls, which is updated automatically until it is paused. */
export function CallLogPage() {
  const texts = useTexts(callsTexts);
  const {
    request,
    call: id,
    ...filters
  } = useSearch({
    from: '/signed-in/settings/developer/calls',
  });
  const navigate = useNavigate();
  const [isPaused, setPaused] = useState(false);
  const apply = (next: CallFilters): void =>
    void navigate({ to: '/settings/developer/calls', search: next });
  const open = ({ id: opened, request_id: of }: Call): void => {
    if (of === null) return;
    const search = { ...filters, request: of, call: opened };
    void navigate({ to: '/settings/developer/calls', search });
  };
  const address = JSON.stringify(filters);
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <Button onClick={() => setPaused(!isPaused)}>
          {isPaused ? texts.resume : texts.pause}
        </Button>
      }
    >
      <CallFilterBar key={`f${address}`} filters={filters} onApply={apply} />
      <p role="status" className={styles.prose}>
        {isPaused ? texts.paused : texts.live}
      </p>
      <CallLog
        key={`l${address}`}
        filters={filters}
        isPaused={isPaused}
        onClear={() => apply({ who: 'everybody' })}
        onOpen={(call) => open(call)}
      />
      {request !== undefined && id !== undefined && (
        <LinkedCall request={request} id={id} onClose={() => apply(filters)} />
      )}
    </Page>
  );
}

interface FilterBarProps {
  filters: CallFilters;
  onApply: (filters: CallFilters) => void;
}

function CallFilterBar({ filters, onApply }: FilterBarProps) {
  const texts = useTexts(callsTexts);
  const outcomes = useOutcomeOptions(texts.everyOutcome);
  const [tool, setTool] = useState(filters.tool ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { tool: _, ...others } = filters;
    onApply({ ...others, ...(tool.trim() && { tool: tool.trim() }) });
  };
  return (
    <form className={styles.filters} onSubmit={submit}>
      <SelectField
        label={texts.who}
        value={filters.who ?? ''}
        options={[
          { value: '', label: texts.agents },
          { value: 'everybody', label: texts.everybody },
        ]}
        onChange={(value) => {
          const { who: _, ...others } = filters;
          onApply({ ...others, ...(value === 'everybody' && { who: value }) });
        }}
      />
      <SelectField
        label={texts.outcome}
        value={filters.outcome ?? ''}
        options={outcomes}
        onChange={(outcome) => {
          const { outcome: _, ...others } = filters;
          onApply({ ...others, ...(outcome && { outcome }) });
        }}
      />
      <TextField label={texts.tool} placeholder={texts.toolAbout} value={tool} onChange={setTool} />
      <Button type="submit">{texts.apply}</Button>
    </form>
  );
}

interface CallLogProps {
  filters: CallFilters;
  isPaused: boolean;
  onClear: () => void;
  onOpen: (call: Call) => void;
}

function CallLog({ filters, isPaused, onClear, onOpen }: CallLogProps) {
  const texts = useTexts(callsTexts);
  const formats = useFormats();
  const { calls, error, isFull, isLooking, retry, lookBack } = useCallLog(filters, isPaused);
  const isFiltered = filters.outcome !== undefined || filters.tool !== undefined;
  const older = lookBack && (
    <Button isBusy={isLooking} onClick={lookBack}>
      {texts.older}
    </Button>
  );
  return (
    <>
      {error !== undefined && <ErrorPanel error={error} onRetry={retry} />}
      {(!calls || (calls.length === 0 && isLooking)) && error === undefined && (
        <Skeleton rows={8} />
      )}
      {calls?.length === 0 && !isLooking && (
        <EmptyState
          title={isFiltered ? texts.noMatch : texts.none}
          actions={
            <>
              {older}
              {isFiltered ? (
                <Button onClick={onClear}>{texts.clear}</Button>
              ) : (
                <Link to="/settings/developer" className={buttonClass()}>
                  {texts.connect}
                </Link>
              )}
            </>
          }
        >
          {isFiltered ? texts.noMatchAbout : texts.noneAbout}
        </EmptyState>
      )}
      {calls && calls.length > 0 && (
        <>
          <LongTable
            size={ROWS}
            label={texts.title}
            rows={calls}
            keyOf={({ id }) => id}
            isLinked
            columns={[
              {
                name: texts.tool,
                cell: (call) =>
                  // A row that only counts other calls has no details.
                  call.tool === null || call.request_id === null ? (
                    (call.tool ?? texts.unlogged(formats.number(call.unlogged)))
                  ) : (
                    <RowButton onClick={() => onOpen(call)}>{call.tool}</RowButton>
                  ),
              },
              { name: texts.outcome, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
              { name: texts.time, cell: ({ at }) => <Time value={at} /> },
              {
                name: texts.duration,
                cell: ({ duration_ms: duration }) => formats.duration(duration),
              },
              {
                name: texts.client,
                cell: ({ client, caller_kind: kind }) =>
                  kind === 'user' ? texts.person : (client ?? texts.noClient),
              },
            ]}
          />
          <div>{older}</div>
          {isFull && <p className={styles.prose}>{texts.full(formats.number(calls.length))}</p>}
        </>
      )}
    </>
  );
}
