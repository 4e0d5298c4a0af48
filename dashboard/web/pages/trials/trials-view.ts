import type { SORTS, TrialFilter } from '../../../api/trials/rows.ts';
import { SHOWN_VERDICTS, TRIAL_KINDS, TRIAL_STATUSES } from '../../../../domain/trial.ts';

export type Sort = (typeof SORTS)[number];

/** Filters and order of the list, which the address holds. */
export interface TrialsView extends TrialFilter {
  sort: Sort;
  order: 'asc' | 'desc';
}

/** Labels of the sort keys. A key from an address is valid if it is here. */
export const SORT_LABELS: Record<Sort, string> = {
  n: 'number',
  value: 'value',
  ended: 'end',
  seconds: 'seconds',
  usd: 'cost',
};

export const FACETS = ['kind', 'status', 'verdict', 'failure'] as const;
export type Facet = (typeof FACETS)[number];

/** Limit of characters of a search text. */
export const TEXT_LIMIT = 200;

/** Reads the view from an address. Unknown values are left out. */
export function viewOf(params: URLSearchParams): TrialsView {
  const kind = among(TRIAL_KINDS, params.get('kind'));
  const status = among([...TRIAL_STATUSES, 'running'] as const, params.get('status'));
  const verdict = among(SHOWN_VERDICTS, params.get('verdict'));
  const failure = params.get('failure')?.slice(0, 100);
  const text = params.get('text')?.slice(0, TEXT_LIMIT);
  const since = momentOf(params.get('since'));
  return {
    ...(kind ? { kind } : {}),
    ...(status ? { status } : {}),
    ...(verdict ? { verdict } : {}),
    ...(failure ? { failure } : {}),
    ...(text ? { text } : {}),
    ...(since ? { since } : {}),
    sort: among(Object.keys(SORT_LABELS) as Sort[], params.get('sort')) ?? 'n',
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
  };
}

/** Parameters of a view, for an address or a query; null for defaults. */
export function paramsOf(view: TrialsView): Record<keyof TrialsView, string | null> {
  const { kind = null, status = null, verdict = null, failure = null, text = null, since = null, sort, order } = view;
  return {
    kind,
    status,
    verdict,
    failure,
    text,
    since,
    sort: sort === 'n' ? null : sort,
    order: order === 'desc' ? null : order,
  };
}

/** Number of filters of a view. */
export const countFilters = (view: TrialsView): number =>
  [...FACETS, 'text' as const, 'since' as const].filter((key) => view[key]).length;

/** A moment of an address, in ISO 8601; undefined if it is none. */
function momentOf(text: string | null): string | undefined {
  const moment = new Date(text ?? NaN);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

function among<T extends string>(known: readonly T[], value: string | null): T | undefined {
  return known.find((candidate) => candidate === value);
}

/** Reads the trials that are picked for a comparison from an address, such as `12,40`; at most two. */
export function pickedOf(params: URLSearchParams): number[] {
  const numbers = (params.get('pick') ?? '').split(',').filter((part) => /^\d{1,9}$/.test(part));
  return [...new Set(numbers.map(Number))].slice(-2);
}

/** Picks a trial, or unpicks it if it was picked. A third pick replaces the first one. */
export const pickedWith = (picked: readonly number[], n: number): number[] =>
  (picked.includes(n) ? picked.filter((other) => other !== n) : [...picked, n]).slice(-2);

export const pickedText = (picked: readonly number[]): string | null => (picked.length === 0 ? null : picked.join(','));
