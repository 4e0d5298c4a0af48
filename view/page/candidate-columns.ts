/**
 * A number of a candidate: its value, its seconds on slots, a number of its evaluator (`metric.NAME`), or a knob
 * (`knob.KEY`).
 */
export type CandidateNumber = { kind: 'value' | 'seconds' } | { kind: 'metric' | 'knob'; name: string };

/** A condition on a number of a candidate; null: no bound on that side. */
export interface CandidateRange {
  number: CandidateNumber;
  from: number | null;
  to: number | null;
}

/** Reads the name of a number, such as `metric.accuracy`; null if it names none. */
export function candidateNumberOf(text: string): CandidateNumber | null {
  if (text === 'value' || text === 'seconds') return { kind: text };
  const found = /^(metric|knob)\.(.{1,300})$/su.exec(text);
  return found ? { kind: found[1] as 'metric' | 'knob', name: found[2] ?? '' } : null;
}

/** Name of a number in an address. */
export const candidateNumberText = (number: CandidateNumber): string =>
  'name' in number ? `${number.kind}.${number.name}` : number.kind;

/** Names of the numbers of a task's candidates. */
export const candidateNumberNames = ({ metrics, knobs }: { metrics: readonly string[]; knobs: readonly string[] }) => [
  'value',
  'seconds',
  ...metrics.map((name) => `metric.${name}`),
  ...knobs.map((key) => `knob.${key}`),
];

/** Reads ranges such as `value:1.2..1.5,metric.accuracy:..0.9`; null if one is invalid. An empty text has none. */
export function candidateRangesOf(text: string): CandidateRange[] | null {
  if (text.trim() === '') return [];
  const ranges = text.split(',').map((part) => rangeOf(part.trim()));
  return ranges.every((range) => range !== null) ? ranges : null;
}

function rangeOf(text: string): CandidateRange | null {
  // A knob's key has a colon, so the last one separates.
  const [, name = '', low = '', high = ''] = /^(.+):([^:]*?)\.\.([^:]*)$/su.exec(text) ?? [];
  const number = candidateNumberOf(name);
  const [from, to] = [boundOf(low), boundOf(high)];
  if (number === null || from === undefined || to === undefined || (from === null && to === null)) return null;
  return { number, from, to };
}

/** A bound; null if there is none, undefined if it is no number. */
function boundOf(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const bound = Number(text);
  return Number.isFinite(bound) ? bound : undefined;
}
