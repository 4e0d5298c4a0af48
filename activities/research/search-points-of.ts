import type { Research } from '../../db/research/research.ts';
import { searchPoints } from '../../domain/gate/gate.ts';
import type { LineageView } from '../../domain/search/parent.ts';

/** Where the search of a research stands, as parent rules see it. */
export const searchPointsOf = ({
  gate,
  gateConfig,
}: Pick<Research, 'gate' | 'gateConfig'>): Omit<LineageView, 'nodes'> => ({
  direction: gateConfig.direction,
  ...searchPoints(gateConfig, gate),
});
