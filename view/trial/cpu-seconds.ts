import { z } from 'zod';
import { formatSeconds } from '../../domain/text/format.ts';
import { describeCompute, type Compute } from '../rows/compute.ts';

/** CPU seconds in the stored end of a run. */
const Charged = z.object({ cpuSeconds: z.number(), answerCpuSeconds: z.number().default(0) });

/** CPU seconds of a run and its answering program; null before its end. */
export function cpuSecondsOf(end: unknown): number | null {
  const { data } = Charged.safeParse(end);
  return data === undefined ? null : data.cpuSeconds + data.answerCpuSeconds;
}

/**
 * Describes the compute of a run: "8.3 s of CPU, 1.2 s of them for answers; its candidate runs with 2.7 × the compute".
 * Null before the run's end.
 */
export function describeComputeUsed(end: unknown, compute: Compute | null): string | null {
  const { data } = Charged.safeParse(end);
  if (data === undefined) return null;
  const { cpuSeconds, answerCpuSeconds } = data;
  const answers = answerCpuSeconds > 0 ? `, ${formatSeconds(answerCpuSeconds)} of them for answers` : '';
  const relative = describeCompute(compute);
  const comparison = relative === null ? '' : `; its candidate runs with ${relative}`;
  return `${formatSeconds(cpuSeconds + answerCpuSeconds)} of CPU${answers}${comparison}`;
}
