import type { Metric } from '../../../api/shared.ts';
import { unitText } from '../../../../domain/text/format.ts';
import type { Sort, TrialsView } from './trials-view.ts';

interface Column {
  className: string;
  title: string;
  /** Its numbers have the unit of the metric, which stands in the head once. */
  measured?: true;
  /** What the title leaves open. */
  hint?: string;
  sort?: Sort;
}

/** Columns in their order; the class gives each its width. */
export const COLUMNS: Column[] = [
  { className: 'pick', title: 'Compare' },
  { className: 'n', title: 'Trial', sort: 'n' },
  { className: 'end-word', title: 'Outcome' },
  { className: 'number value', title: 'Value', measured: true, sort: 'value' },
  { className: 'number gain', title: 'Gain', measured: true, hint: 'over the unmodified version' },
  { className: 'idea', title: 'Idea, and why it ended so' },
  { className: 'number seconds', title: 'Run time', sort: 'seconds' },
  { className: 'number cost', title: 'Cost', sort: 'usd' },
  { className: 'on-slot', title: 'Slot' },
  { className: 'number when', title: 'When', sort: 'ended' },
];

interface Props {
  view: TrialsView;
  metric: Metric | undefined;
  onSort: (sort: Sort, order: 'asc' | 'desc') => void;
}

/** The titles of the columns; those that the server can sort by are buttons. */
export function Columns({ view, metric, onSort }: Props) {
  /** What a person wants on top at first: the best value, the newest, the longest, the dearest. */
  const first = (sort: Sort) => (sort === 'value' && metric?.direction === 'minimize' ? 'asc' : 'desc');
  const press = (sort: Sort) => {
    if (view.sort !== sort) return onSort(sort, first(sort));
    onSort(sort, view.order === 'asc' ? 'desc' : 'asc');
  };
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1} className="trial-row heads">
        {COLUMNS.map(({ className, title, measured, hint, sort }) => {
          const sorted = sort === view.sort ? (view.order === 'asc' ? 'ascending' : 'descending') : 'none';
          const unit = measured && metric?.unit ? unitText(metric.unit) : '';
          return (
            <span
              key={title}
              role="columnheader"
              className={className}
              title={[hint, unit.trim()].filter(Boolean).join(', ') || undefined}
              {...(sort ? { 'aria-sort': sorted } : {})}
            >
              {sort ? (
                <button type="button" onClick={() => press(sort)}>
                  {title}
                  {sorted === 'none' ? null : (
                    <span className="arrow" aria-hidden="true">
                      {sorted === 'ascending' ? '↑' : '↓'}
                    </span>
                  )}
                </button>
              ) : (
                <span className={title === 'Compare' ? 'unseen' : ''}>{title}</span>
              )}
              {unit === '' ? null : <span className="second">{unit.trim()}</span>}
            </span>
          );
        })}
      </div>
    </div>
  );
}
