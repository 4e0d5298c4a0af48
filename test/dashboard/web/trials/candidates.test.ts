import { expect, test } from 'vitest';
import {
  candidatesViewOf,
  queryOf,
  showsRuns,
} from '../../../../dashboard/web/pages/trials/candidates/candidates-view.ts';
import { joinPages } from '../../../../dashboard/web/pages/trials/candidates/use-candidates.ts';
import type { CandidateRow } from '../../../../dashboard/api/trials/candidates.ts';

const view = (query: string) => candidatesViewOf(new URLSearchParams(query), 'asc');

test('without parameters, the best value comes first', () => {
  expect(view('')).toEqual({ sort: 'value', order: 'asc', range: '', columns: [] });
  expect(view('sort=first')).toMatchObject({ sort: 'first', order: 'desc' });
  expect(view('order=desc')).toMatchObject({ sort: 'value', order: 'desc' });
});

test('unknown columns and doubles are left out, and an invalid range is not sent', () => {
  const { columns } = view('cols=metric.a,other,metric.a,knob.f:x');
  expect(columns).toEqual(['metric.a', 'knob.f:x']);
  expect(queryOf(view('range=value:x')).range).toBe('');
  expect(queryOf(view('range=value:1..2')).range).toBe('value:1..2');
});

test('an address with a filter of runs shows runs', () => {
  for (const [query, runs] of [
    ['', false],
    ['sort=value', false],
    ['per=run', true],
    ['status=failed', true],
  ] as const)
    expect([query, showsRuns(new URLSearchParams(query))]).toEqual([query, runs]);
});

test('a candidate that moved to a later page is there once', () => {
  const row = (candidateId: string) => ({ candidateId }) as CandidateRow;
  const joined = joinPages([row('a'), row('b')], [row('b'), row('c')]);
  expect(joined.map(({ candidateId }) => candidateId)).toEqual(['a', 'b', 'c']);
});
