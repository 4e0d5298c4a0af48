import type { Pareto } from '../../../../api/trials/pareto.ts';
import type { Layer, Point } from '../../../parts/chart/layers.ts';
import { OUTCOME_SHAPES } from '../../../parts/outcome/outcome-look.ts';

type Place = Pick<Pareto['front'][number], 'n' | 'x' | 'y'> & { idea?: string | null };

/** Dots of a chart of a front, in their order: the other candidates, the front, the claimed one. */
export function placesOf({ rest, front, claim }: Pick<Pareto, 'rest' | 'front' | 'claim'>): Place[] {
  const others = rest.n.map((n, at) => ({ n, x: rest.x[at] ?? 0, y: rest.y[at] ?? 0 }));
  return [...others, ...front, ...(claim === null ? [] : [claim])];
}

/** Indices of the groups of dots; the first group is on top. */
const GROUP = { claimed: 0, front: 1, dominated: 2 };

/** Layers of the chart: the front as steps, and the candidates as dots. The dots are the last layer. */
export function paretoLayers(pareto: Pareto): Layer[] {
  const places = placesOf(pareto);
  const { rest, front, frontTotal, total } = pareto;
  const groups = [
    ...rest.n.map(() => GROUP.dominated),
    ...front.map(() => GROUP.front),
    ...(pareto.claim === null ? [] : [GROUP.claimed]),
  ];
  return [
    { kind: 'line', label: 'front', ...cornersOfFront(pareto), ink: '--claim', width: 2 },
    {
      kind: 'dots',
      label: 'candidates',
      x: places.map(({ x }) => x),
      y: places.map(({ y }) => y),
      group: groups,
      groups: [
        { label: 'claimed', ink: '--keep', shape: OUTCOME_SHAPES.keep },
        { label: 'in the front', ink: '--claim', shape: OUTCOME_SHAPES.confirm, count: frontTotal },
        { label: 'dominated', ink: '--ink-2', shape: OUTCOME_SHAPES.scored, count: total - frontTotal },
      ],
    },
  ];
}

/** Corners of the border between dominated and free points. */
function cornersOfFront({ front, x: { better } }: Pick<Pareto, 'front' | 'x'>): { x: number[]; y: number[] } {
  const corners = front.flatMap(({ x, y }, at) => {
    const before = front[at - 1];
    if (before === undefined) return [{ x, y }];
    return [better === 'minimize' ? { x, y: before.y } : { x: before.x, y }, { x, y }];
  });
  return { x: corners.map(({ x }) => x), y: corners.map(({ y }) => y) };
}

/** Candidate at a point of the chart; null on the line. */
export const placeAt = (pareto: Pareto, { layer, index }: Point): Place | null =>
  layer === 1 ? (placesOf(pareto)[index] ?? null) : null;
