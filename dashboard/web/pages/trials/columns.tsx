import type { Metric } from '../../../api/shared.ts';
import { unitText } from '../../../../domain/text/format.ts';
import type { Sort, TrialsView } from './trials-view.ts';

interface Column {
  className: string;
  title: string;
  /** True: the numbers have the metric's unit, which is shown once, in the column's head. */
  measured?: true;
  /** Explanation of the title. */
  hint?: string;
  sort?: Sort;
}

/** Columns in their order. The class sets the width of a column. */
export const COLUMNS: Column[] = [
  { className: 'pick', title: 'Compare' },
  { className: 'n', title: 'Trial', sort: 'n' },
  { className: 'end-word', title: 'Outcome' },
  { className: 'number value', title: 'Value', measured: true, sort: 'value' },
  { className: 'number gain', title: 'Gain', measured: true, hint: 'over the unmodified version' },
  { className: 'idea', title: 'Idea, and reason of its end' },
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

/** The heads of the columns. A column by which the server can sort has a button. */
export function Columns({ view, metric, onSort }: Props) {
  /** Order of the first click: the best value, the newest, the longest or the most expensive trial comes first. */
  const firstOrder = (sort: Sort) => (sort === 'value' && metric?.direction === 'minimize' ? 'asc' : 'desc');
  const press = (sort: Sort) => {
    if (view.sort !== sort) onSort(sort, firstOrder(sort));
    else onSort(sort, view.order === 'asc' ? 'desc' : 'asc');
  };
  const viewOrder = view.order === 'asc' ? 'ascending' : 'descending';
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1} className="trial-row heads">
        {COLUMNS.map(({ className, title, measured, hint, sort }) => {
          const sorted = sort === view.sort ? viewOrder : 'none';
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
