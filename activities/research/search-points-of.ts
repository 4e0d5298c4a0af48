import type { Research } from '../../db/research/research.ts';
import { searchPoints } from '../../domain/gate/gate.ts';
import type { SearchPoints } from '../../domain/search/parent.ts';

/** The state of a research's search that parent rules read, without the lineage. */
export const searchPointsOf = ({ gate, gateConfig }: Pick<Research, 'gate' | 'gateConfig'>): SearchPoints => ({
  direction: gateConfig.direction,
  ...searchPoints(gateConfig, gate),
});
