import { useState } from 'react';
import type { Pager } from '../api/use-paged-tool.ts';

interface Place {
  /** The index of the current page among the pages of the rows, from 0. */
  at: number;
  /** For each earlier answer, the number of pages of its rows. The first answer comes first. */
  before: readonly number[];
}

interface Pages<Row> {
  rows: readonly Row[];
  /** The pager. Undefined when all rows fit on one page. */
  pager: Pager | undefined;
}

const NONE: readonly never[] = [];

export interface Answers {
  pager: Pager;
  /** True while the next answer is read. During this time, the page shows the rows of the previous answer. */
  isWaiting: boolean;
}

const ONE_ANSWER: Answers = { pager: { page: 1 }, isWaiting: false };

/**
 * Splits the rows of one answer of the service into pages of `size`, so that a long list is never rendered completely.
 * A list that the service returns in several answers needs the third argument. After the last page of one answer, the
 * pager in this argument reads the next answer.
 */
export function usePages<Row>(
  given: readonly Row[] | undefined,
  size: number,
  { pager: answers, isWaiting } = ONE_ANSWER,
): Pages<Row> {
  const [place, setPlace] = useState<Place>({ at: 0, before: [] });
  const all = given ?? NONE;
  const count = Math.max(1, Math.ceil(all.length / size));
  // Rows may have been removed since the person opened this page.
  const at = Math.min(place.at, count - 1);
  const before = place.before.slice(0, answers.page - 1);
  const page = before.reduce((sum, each) => sum + each, at + 1);
  const rows = all.slice(at * size, (at + 1) * size);
  const { next: goOn, previous: goBack } = answers;
  const next =
    at < count - 1
      ? () => setPlace({ at: at + 1, before })
      : goOn &&
        (() => {
          goOn();
          setPlace({ at: 0, before: [...before, count] });
        });
  const previous =
    at > 0
      ? () => setPlace({ at: at - 1, before })
      : goBack &&
        (() => {
          goBack();
          setPlace({ at: (before.at(-1) ?? 1) - 1, before: before.slice(0, -1) });
        });
  if (!next && !previous) return { rows, pager: undefined };
  // The number of pages is not known while an answer is read.
  if (isWaiting) return { rows, pager: { page } };
  return { rows, pager: { page, ...(next && { next }), ...(previous && { previous }) } };
}
