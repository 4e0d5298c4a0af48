import type { Research } from '../../../api/research.ts';
import type { Axis, Series } from '../../../api/series.ts';
import type { ExportedView } from '../../../../view/figure/exported-view.ts';
import { fetchJson, ofResearch, withQuery } from '../../data/fetch-json.ts';
import { researchView } from './research-view.ts';

/** The view of a research, read anew: each of its trials, where the page shows a part of them. */
export async function readResearchView(id: string, x: Axis = 'trial'): Promise<ExportedView> {
  const [research, series] = await Promise.all([
    fetchJson<Research>(ofResearch(id)),
    fetchJson<Series>(withQuery(ofResearch(id, 'series'), { x, buckets: 0 })),
  ]);
  return researchView({ id, research, series });
}
