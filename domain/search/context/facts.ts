import type { HistoryEntry, PromptInput, Relative } from '../../prompt/prompt-input.ts';
import type { Run } from '../../schema/run.ts';
import { formatSeconds, numberText, significant } from '../../text/format.ts';

type Task = PromptInput['task'];

/** Measured facts of a trial, one line for each kind, without any quoted text. */
export function factLines(entry: HistoryEntry, task: Task): string[] {
  const lines = [originText(entry, task), runText(entry, task), curveText(entry, task)];
  return lines.filter((line) => line !== '').map((line) => `  ${line}`);
}

/** Name of a parent: `trial 3`, or `the original`. */
export const relativeName = ({ n }: Relative): string => (n === null ? 'the original' : `trial ${n}`);

function originText({ parent, mean, value, expectedDelta }: HistoryEntry, { metric }: Task): string {
  const texts: string[] = [];
  if (parent) {
    const parentValue = parent.value === null ? '' : ` (${metric.name} ${numberText(parent.value)})`;
    texts.push(`made from ${relativeName(parent)}${parentValue}`);
  }
  if (mean && mean.n > 1) texts.push(`mean of its ${mean.n} runs ${numberText(mean.value)}`);
  if (expectedDelta !== null && expectedDelta !== undefined) {
    const measured = mean?.value ?? value;
    const base = parent?.value ?? null;
    const came = measured === null || base === null ? '' : `, came ${significant(measured - base, 3)}`;
    texts.push(`expected delta ${numberText(expectedDelta)}${came}`);
  }
  return texts.join('; ');
}

function runText({ seconds, metrics = {}, ...entry }: HistoryEntry, { run, secondary = [] }: Task): string {
  const texts: string[] = [];
  if (seconds !== null && seconds !== undefined) texts.push(`ran ${formatSeconds(seconds)}`);
  const used = usedText(entry, run?.budget);
  if (used !== null) texts.push(used);
  const others = secondary.flatMap(({ name }) => {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    return value === undefined ? [] : [`${name} ${numberText(value)}`];
  });
  return [...texts, ...others].join('; ');
}

/** CPU seconds that a trial used of its budget; null if nothing ran, or if the budget is wall clock. */
function usedText({ cpuSeconds }: Pick<HistoryEntry, 'cpuSeconds'>, budget: Run['budget'] | undefined): string | null {
  if (cpuSeconds === null || cpuSeconds === undefined || budget === undefined || budget.kind === 'wall') return null;
  const unit = budget.kind === 'cpu' ? 'CPU seconds' : 'CPU seconds (budgeted: seconds of a reference core)';
  return `used ${cpuSeconds.toFixed(1)} of ${budget.seconds} ${unit}`;
}

function curveText({ curve = [] }: HistoryEntry, { progress }: Task): string {
  if (curve.length < 2) return '';
  const steps = curve.map(({ step }) => numberText(step)).join(', ');
  const values = curve.map(({ value }) => Number(value.toPrecision(4))).join(', ');
  return `${progress?.value ?? 'loss'} at steps ${steps}: ${values}`;
}
