import { z } from 'zod';
import type { Knob } from '../../../knob/knob.ts';
import { knobKey, type KnobValue } from '../../../knob/knob-value.ts';
import { knobsNamed } from '../../../knob/knobs-named.ts';

/** A descriptor as a task writes it. */
export const Descriptor = z
  .strictObject({
    metric: z.string().min(1).exactOptional().describe('name of a secondary metric'),
    knob: z.string().min(1).exactOptional().describe('name of a knob; `file:name` if two files have one of that name'),
    edges: z
      .array(z.number())
      .min(1)
      .max(100)
      .refine((edges) => edges.every((edge, index) => index === 0 || edge > (edges[index - 1] ?? edge)), {
        message: 'edges that increase',
      })
      .exactOptional()
      .describe(
        'edges of the bins, in increasing order; a value equal to an edge belongs to the bin above it, and a value ' +
          'beyond the last edge to the outer bin. A knob of type choice has no edges: each value is a bin',
      ),
  })
  .refine(({ metric, knob }) => (metric === undefined) !== (knob === undefined), {
    message: 'either metric or knob',
  });

export type Descriptor = z.output<typeof Descriptor>;

/** A descriptor with its knob looked up. */
export interface Found {
  kind: 'metric' | 'knob';
  /** Name in the label of a cell. */
  name: string;
  /** Key among a candidate's metrics or knob values. */
  key: string;
  edges: readonly number[];
  /** Values that are bins of their own. */
  values: readonly KnobValue[];
}

/** Knobs and bins of each knob without descriptors in the settings. */
const DEFAULT_KNOBS = 2;
const DEFAULT_BINS = 5;

/** The descriptors as written, or of the first knobs. A descriptor whose knob the task has lost has no values. */
export function descriptorsOf(written: readonly Descriptor[] | undefined, knobs: readonly Knob[]): Found[] {
  if (written === undefined)
    return knobs.slice(0, DEFAULT_KNOBS).map((knob) => ofKnob(knob, { name: knob.name, edges: evenEdges(knob) }));
  return written.map(({ metric, knob: name = '', edges = [] }) => {
    if (metric !== undefined) return { kind: 'metric', name: metric, key: metric, edges, values: [] };
    const [knob] = knobsNamed(name, knobs);
    return knob === undefined
      ? { kind: 'knob', name, key: name, edges, values: [] }
      : ofKnob(knob, { name, edges: knob.type === 'choice' ? [] : edges });
  });
}

const ofKnob = (knob: Knob, { name, edges }: { name: string; edges: readonly number[] }): Found => ({
  kind: 'knob',
  name,
  key: knobKey(knob),
  edges,
  values: knob.type === 'choice' ? knob.values : [],
});

/** Edges of even bins on the scale of a knob, without those that rounding makes equal. */
function evenEdges(knob: Knob): number[] {
  if (knob.type === 'choice') return [];
  const [low, high] = knob.range;
  const edges = Array.from({ length: DEFAULT_BINS - 1 }, (_, index) => {
    const share = (index + 1) / DEFAULT_BINS;
    const edge = knob.scale === 'log' ? low * (high / low) ** share : low + share * (high - low);
    return knob.type === 'int' ? Math.ceil(edge) : Number(edge.toPrecision(3));
  });
  return [...new Set(edges)];
}
