import { useMemo } from 'react';
import type { Pareto } from '../../../../api/trials/pareto.ts';
import { candidateRangesOf } from '../../../../../view/page/candidate-columns.ts';
import { researchPath, withQuery } from '../../../data/fetch-json.ts';
import { useResource } from '../../../data/use-resource.ts';

/** Least time between two reads: the server reads all candidates for each. */
const SPACING_MS = 10_000;

/** Reads the front if the address shows it (`trade=1`), and the numbers of its candidates. */
export function usePareto(research: string, params: URLSearchParams) {
  const range = params.get('range') ?? '';
  const query = {
    ...Object.fromEntries(['x', 'y', 'xBetter', 'yBetter'].map((key) => [key, params.get(key)])),
    range: candidateRangesOf(range) === null ? '' : range,
  };
  const isOpen = params.get('trade') === '1';
  const path = isOpen ? withQuery(researchPath(research, 'pareto'), query) : null;
  const { data, error } = useResource<Pareto>(path, { research, spacingMs: SPACING_MS });
  const pareto = isOpen ? data : undefined;
  const front = useMemo(() => new Set(pareto?.front.map(({ n }) => n)), [pareto]);
  return { isOpen, pareto, error: isOpen ? error : undefined, front };
}
