import type { Research } from '../../../api/research.ts';
import type { Axis, Series } from '../../../api/series.ts';
import type { ExportedView } from '../../../../view/figure/exported-view.ts';
import { fetchJson, researchPath, withQuery } from '../../data/fetch-json.ts';
import { researchView } from './research-view.ts';

/** Reads the view of a research for an export: with every trial, where the page's chart shows thinned dots. */
export async function readResearchView(id: string, x: Axis = 'trial'): Promise<ExportedView> {
  const [research, series] = await Promise.all([
    fetchJson<Research>(researchPath(id)),
    fetchJson<Series>(withQuery(researchPath(id, 'series'), { x, buckets: 0 })),
  ]);
  return researchView({ id, research, series });
}
