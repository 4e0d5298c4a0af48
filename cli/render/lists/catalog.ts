import { formatSeconds, formatValue } from '../../../domain/text/format.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import type { DescribedTask } from '../../task/describe-known-tasks.ts';
import { columns } from '../text/text.ts';

const HEAD = ['task', 'needs', 'CPU a run', 'metric', 'unmodified', 'random', 'tpe', 'known best'];

/** Table of the tasks that are known by name, with what was measured of those that come with Perpetua. */
export function renderCatalog(tasks: readonly DescribedTask[]): string[] {
  const rows = tasks.map(({ name, facts, metric }) => {
    const measured = facts?.measured ?? null;
    const number = (value: number): string => formatValue(value, measured?.baseline.sd);
    return [
      name,
      facts?.needs ?? '–',
      measured === null ? '–' : formatSeconds(measured.seconds),
      metric === null ? '–' : oneLine(`${metric.name} ${metric.direction === 'maximize' ? '↑' : '↓'}`),
      measured === null ? '–' : `${number(measured.baseline.mean)} ± ${number(measured.baseline.sd)}`,
      measured === null ? '–' : number(measured.random),
      measured === null ? '–' : number(measured.tpe),
      facts?.known ? String(facts.known.value) : '–',
    ];
  });
  return [...columns([HEAD, ...rows]), '', ...tasks.map(({ name, description }) => oneLine(`${name}: ${description}`))];
}
