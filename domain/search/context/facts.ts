import type { HistoryEntry, PromptInput, Relative } from '../../prompt/prompt-input.ts';
import type { Run } from '../../schema/run.ts';
import { formatSeconds, numberText, significant } from '../../text/format.ts';

type Task = PromptInput['task'];

/** Measured facts of a trial, a line for each kind; numbers and words of our own alone. */
export function factLines(entry: HistoryEntry, task: Task): string[] {
  const lines = [originText(entry, task), runText(entry, task), curveText(entry, task)];
  return lines.filter((line) => line !== '').map((line) => `  ${line}`);
}

/** `trial 3`, or `the original`. */
export const relativeName = ({ n }: Relative): string => (n === null ? 'the original' : `trial ${n}`);

function originText({ parent, mean, value, expectedDelta }: HistoryEntry, { metric }: Task): string {
  const from = parent
    ? [
        `made from ${relativeName(parent)}${parent.value === null ? '' : ` (${metric.name} ${numberText(parent.value)})`}`,
      ]
    : [];
  const runs = mean && mean.n > 1 ? [`mean of its ${mean.n} runs ${numberText(mean.value)}`] : [];
  const known = mean?.value ?? value;
  const came = known === null || known === undefined || !parent || parent.value === null ? null : known - parent.value;
  const delta =
    expectedDelta === null || expectedDelta === undefined
      ? []
      : [`expected delta ${numberText(expectedDelta)}${came === null ? '' : `, came ${significant(came, 3)}`}`];
  return [...from, ...runs, ...delta].join('; ');
}

function runText({ seconds, metrics = {}, ...entry }: HistoryEntry, { run, secondary = [] }: Task): string {
  const used = usedText(entry, run?.budget);
  const ran = seconds === null || seconds === undefined ? [] : [`ran ${formatSeconds(seconds)}`];
  const others = secondary.flatMap(({ name }) => {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    return value === undefined ? [] : [`${name} ${numberText(value)}`];
  });
  return [...ran, ...(used === null ? [] : [used]), ...others].join('; ');
}

/** Of a budget of CPU seconds: null where nothing ran, or others are counted. */
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
