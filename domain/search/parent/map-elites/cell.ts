import type { KnobValue } from '../../../knob/knob-value.ts';
import { shortenKey } from '../../../text/shorten-key.ts';
import type { Placing } from '../niche.ts';
import type { Found } from './descriptors.ts';

/** Label of the bin of a value that a candidate does not have. */
const MISSING = 'missing';

/** The cell of a candidate: the bin of each descriptor, as `lr 0.01–0.1, depth ≥4`; null without descriptors. */
export function cellOf(
  descriptors: readonly Found[],
  { knobs, metrics }: Pick<Placing, 'knobs' | 'metrics'>,
): string | null {
  if (descriptors.length === 0) return null;
  const bins = descriptors.map((descriptor) => {
    const { kind, name, key } = descriptor;
    return `${name} ${binOf(descriptor, (kind === 'knob' ? knobs : metrics)[key])}`;
  });
  return shortenKey(bins.join(', '));
}

function binOf({ edges, values }: Found, value: KnobValue | undefined): string {
  if (value === undefined) return MISSING;
  if (edges.length === 0) return values.includes(value) ? String(value) : MISSING;
  if (typeof value !== 'number' || Number.isNaN(value)) return MISSING;
  const index = edges.findLastIndex((edge) => value >= edge);
  const [low, high] = [edges[index], edges[index + 1]];
  if (low === undefined) return `<${high}`;
  return high === undefined ? `≥${low}` : `${low}–${high}`;
}
