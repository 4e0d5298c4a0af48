import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { unitText } from '../../../../../domain/text/format.ts';
import { visible } from '../../../../../domain/text/visible.ts';
import { candidateRangesOf } from '../../../../../view/page/candidate-columns.ts';
import type { CandidateRow } from '../../../../api/trials/candidates.ts';
import { Empty } from '../../../parts/empty.tsx';
import { formatInteger } from '../../../parts/numbers.ts';
import { hrefOf, setParams, useAddress } from '../../../router.ts';
import { useNarrow } from '../../../shell/use-narrow.ts';
import { ResearchHeader, useResearch } from '../../research/header.tsx';
import { PerSwitch } from '../per-switch.tsx';
import { CandidateLine, type Line } from './candidate-row.tsx';
import { candidatesViewOf, type CandidatesView } from './candidates-view.ts';
import { ChooseColumns } from './choose-columns.tsx';
import { ParetoPanel } from './pareto-panel.tsx';
import { RangeField } from './range-field.tsx';
import { useCandidates } from './use-candidates.ts';
import { usePareto } from './use-pareto.ts';

/** Rows drawn on either side of the visible ones; from that many before the end on, the next page is read. */
const OVERSCAN = 10;
const HEIGHT = { wide: 46, narrow: 72 };
const HEADS = 36;

/** Table of a research's candidates, each with its runs folded in. The page has elements only for visible rows. */
export function Candidates({ at }: { at: Record<string, string> }) {
  const research = at['id'] ?? '';
  const { params } = useAddress();
  const { data: head, error: headError } = useResearch(research);
  const metric = head?.metric;
  const view = metric ? candidatesViewOf(params, metric.direction === 'minimize' ? 'asc' : 'desc') : null;
  const [atTop, setAtTop] = useState(true);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { rows, hasMore, loadMore, data, error, busy, outdated } = useCandidates(research, view, atTop);
  const trade = usePareto(research, params);
  const lines = useMemo(() => linesOf(rows, open), [rows, open]);
  const header = <ResearchHeader id={research} tab="trials" research={head} />;
  if (view === null || data === undefined)
    return (
      <>
        {header}
        <Empty>
          {visible((headError ?? error)?.message ?? 'Reading the candidates')}{' '}
          {error?.status === 400 ? <a href={hrefOf(['r', research, 'trials'])}>Show the default order</a> : null}
        </Empty>
      </>
    );
  const isValid = candidateRangesOf(view.range) !== null;
  return (
    <div className="trials-page">
      {header}
      <section className="trials" aria-label="Candidates">
        <div className="trials-bar">
          <PerSwitch research={research} per="candidate" />
          <RangeField text={view.range} valid={isValid} onText={(range) => setParams({ range })} />
          <ChooseColumns
            offered={data}
            chosen={view.columns}
            onChoose={(columns) => setParams({ cols: columns.join(',') })}
          />
          {data.metrics.some((name) => name !== metric?.name) || data.knobs.length > 0 ? (
            <button
              type="button"
              className="button small"
              aria-pressed={trade.isOpen}
              title="Candidates by two numbers, with those that no other one dominates"
              onClick={() => setParams({ trade: trade.isOpen ? null : 1 })}
            >
              Trade-off
            </button>
          ) : null}
          <span className="quiet small" role="status">
            {formatInteger(data.total)} {data.total === 1 ? 'candidate' : 'candidates'}
            {view.range !== '' && isValid
              ? `, ${formatInteger(rows.length)}${hasMore ? ' or more' : ''} in the ranges`
              : ''}
          </span>
          {outdated ? (
            <button
              type="button"
              className="button"
              onClick={() => document.querySelector('.candidate-table')?.scrollTo({ top: 0 })}
            >
              The order changed: show it
            </button>
          ) : null}
        </div>
        {trade.error ? <Empty>{visible(trade.error.message)}</Empty> : null}
        {trade.pareto ? (
          <ParetoPanel
            pareto={trade.pareto}
            hrefFor={(n) => hrefOf(['r', research, 'trials', String(n)], Object.fromEntries(params))}
          />
        ) : null}
        <div className="trials-frame">
          <Table
            research={research}
            lines={lines}
            front={trade.front}
            view={view}
            unit={unitText(metric?.unit)}
            sd={head?.status.baseline?.sd ?? null}
            busy={busy}
            onAtTop={setAtTop}
            onEnd={loadMore}
            onToggle={(id) =>
              setOpen((before) => {
                const after = new Set(before);
                if (!after.delete(id)) after.add(id);
                return after;
              })
            }
          />
          {rows.length === 0 && !busy ? (
            <Empty>
              {view.range === ''
                ? 'No candidate has ended under the present task. Runs under way are in the table of runs.'
                : 'No candidate lies in these ranges.'}
            </Empty>
          ) : null}
        </div>
      </section>
    </div>
  );
}

/** Rows of the table: candidates, and below an opened one its trials. */
const linesOf = (rows: readonly CandidateRow[], open: ReadonlySet<string>): Line[] =>
  rows.flatMap((row): Line[] => {
    const line = { key: row.candidateId, row, open: open.has(row.candidateId) };
    return line.open ? [line, ...row.trials.map((run) => ({ key: `run ${run.n}`, run }))] : [line];
  });

interface TableProps {
  research: string;
  lines: readonly Line[];
  /** Numbers of the candidates in the front that is shown. */
  front: ReadonlySet<number>;
  view: CandidatesView;
  unit: string;
  sd: number | null;
  busy: boolean;
  onAtTop: (atTop: boolean) => void;
  /** The last rows are near: more may be needed. */
  onEnd: () => void;
  onToggle: (candidateId: string) => void;
}

function Table({ research, lines, front, view, unit, sd, busy, onAtTop, onEnd, onToggle }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const height = narrow ? HEIGHT.narrow : HEIGHT.wide;
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: HEADS,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const { sort, order, range } = view;
  // Another order has other rows: a person reads them from the top.
  useEffect(() => void scroller.current?.scrollTo({ top: 0 }), [sort, order, range]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (lines.length > 0 && last >= lines.length - OVERSCAN) onEnd();
  }, [last, lines.length, onEnd]);
  const params = Object.fromEntries(useAddress().params);
  const template = narrow
    ? '4.5rem minmax(0, 1fr) 11rem'
    : `5rem 9rem 12rem 6.5rem minmax(0, 1fr) ${'7rem '.repeat(view.columns.length)}6rem`;
  return (
    <div
      ref={scroller}
      role="table"
      aria-label="Candidates"
      aria-busy={busy}
      tabIndex={0}
      className="trial-grid candidate-table"
      onScroll={(event) => onAtTop(event.currentTarget.scrollTop < height / 2)}
    >
      <div role="rowgroup">
        <div role="row" className="candidate-row heads" style={{ gridTemplateColumns: template }}>
          <Head name="Candidate" sort="first" view={view} />
          <Head name="Outcome" />
          <Head name="Mean ± 95 %" second={unit.trim()} sort="value" view={view} number />
          <Head name="Runs" />
          <Head name="Idea" />
          {view.columns.map((name) => (
            <Head
              key={name}
              name={visible(name.replace(/^\w+\./, ''))}
              hint={visible(name)}
              sort={name}
              view={view}
              number
            />
          ))}
          <Head name="Run time" sort="seconds" view={view} number />
        </div>
      </div>
      <div role="rowgroup" className="trial-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const line = lines[index];
          return line === undefined ? null : (
            <CandidateLine
              key={line.key}
              line={line}
              inFront={'row' in line && front.has(line.row.n)}
              position={{ index, top: start - HEADS }}
              template={template}
              sd={sd}
              hrefFor={(n) => hrefOf(['r', research, 'trials', String(n)], params)}
              onToggle={onToggle}
            />
          );
        })}
      </div>
    </div>
  );
}

interface HeadProps {
  name: string;
  /** Second line, such as the unit. */
  second?: string;
  hint?: string;
  number?: boolean;
  sort?: CandidatesView['sort'];
  view?: CandidatesView;
}

/** Head of a column. A column by which the server can sort has a button; a second press turns the order. */
function Head({ name, second = '', hint, number = false, sort, view }: HeadProps) {
  const isSorted = sort !== undefined && view?.sort === sort;
  const direction = view?.order === 'asc' ? 'ascending' : 'descending';
  const press = (): void => {
    const turned = view?.order === 'asc' ? 'desc' : 'asc';
    setParams({ sort: sort === 'value' ? null : sort, order: isSorted ? turned : null });
  };
  return (
    <span
      role="columnheader"
      className={number ? 'number' : ''}
      title={hint ?? (second || undefined)}
      {...(sort === undefined ? {} : { 'aria-sort': isSorted ? direction : 'none' })}
    >
      {sort === undefined ? (
        name
      ) : (
        <button type="button" onClick={press}>
          <span className="title">{name}</span>
          {isSorted ? <span aria-hidden="true"> {direction === 'ascending' ? '↑' : '↓'}</span> : null}
        </button>
      )}
      {second === '' ? null : <span className="second">{second}</span>}
    </span>
  );
}
