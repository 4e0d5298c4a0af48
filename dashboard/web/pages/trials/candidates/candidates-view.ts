import { candidateNumberOf, candidateRangesOf } from '../../../../../view/page/candidate-columns.ts';

/** Order, ranges and columns of the table of candidates, which the address holds. */
export interface CandidatesView {
  /** `value`, `first` (by first outcome), or the name of a column. */
  sort: string;
  order: 'asc' | 'desc';
  /** Ranges as they were typed, such as `value:1.2..1.5`. */
  range: string;
  /** Names of the chosen columns, such as `metric.accuracy`. */
  columns: string[];
}

/** Filters of runs: an address with one of them shows runs, whatever else it says. */
const RUN_FILTERS = ['kind', 'status', 'verdict', 'failure', 'text', 'since'];

/** True if an address shows a row for each run. */
export const showsRuns = (params: URLSearchParams): boolean =>
  params.get('per') === 'run' || RUN_FILTERS.some((key) => params.has(key));

/** Most columns that a person can choose. */
export const MOST_COLUMNS = 12;

/** Reads the view from an address; `better`: the order in which the best value comes first. */
export function candidatesViewOf(params: URLSearchParams, better: 'asc' | 'desc'): CandidatesView {
  const requested = params.get('sort') ?? '';
  const sort = requested === 'first' || candidateNumberOf(requested) !== null ? requested : 'value';
  const order = params.get('order');
  const columns = (params.get('cols') ?? '').split(',').filter((name) => candidateNumberOf(name) !== null);
  return {
    sort,
    order: order === 'asc' || order === 'desc' ? order : defaultOrder(sort, better),
    range: (params.get('range') ?? '').slice(0, 2000),
    columns: [...new Set(columns)].slice(0, MOST_COLUMNS),
  };
}

/** The best value first, or the newest candidate. */
const defaultOrder = (sort: CandidatesView['sort'], better: 'asc' | 'desc') => (sort === 'value' ? better : 'desc');

/** Parameters of the API for a view; an invalid range is left out. */
export const queryOf = ({ sort, order, range, columns }: CandidatesView): Record<string, string> => ({
  sort,
  order,
  range: candidateRangesOf(range) === null ? '' : range,
  columns: columns.join(','),
});
