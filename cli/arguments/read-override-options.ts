import { choiceName } from '../../domain/method/axis.ts';
import { choiceFor, learns, proposersThat } from '../../domain/search/proposer/makers.ts';
import { updatePlanOf } from '../../domain/search/update/table.ts';
import { fitOverrides, overlaid, type Overrides } from '../../domain/task/overrides.ts';
import type { Task } from '../../domain/task/task.ts';
import { refused } from '../errors.ts';
import { parseSetOptions } from './parse-set-options.ts';
import { readPreset } from './read-preset.ts';

/** Refuses an update that is named beside a --proposer which it cannot train: it would have no effect. */
function requireTrained({ search }: Task, proposer: string | undefined): void {
  if (proposer === undefined || updatePlanOf(search.update) === null || learns(choiceFor(proposer, search))) return;
  throw refused(
    `Expected a proposer with weights, since search.update trains it, got --proposer ${proposer}; ` +
      'leave out search.update, or --proposer.',
  );
}

interface Given {
  preset?: string;
  set?: string[];
  proposer?: string;
}

/**
 * Merges --preset and --set. Refuses values that the task does not take: a worker would refuse them only later. Adds
 * --proposer if the values fit the task only with it: the worker checks the overrides before it applies --proposer.
 */
export function readOverrideOptions({ preset, set, proposer }: Given, task: Task): Overrides {
  if (preset === undefined && set === undefined) return {};
  const given = overlaid(preset === undefined ? {} : readPreset(preset).overrides, parseSetOptions(set ?? []));
  const withProposer = (name: string): Overrides =>
    overlaid({ search: { proposer: choiceFor(name, task.search) } }, given);
  const fitted = fitOverrides(task, given);
  if (fitted.unfit.length === 0) {
    if (given.search?.['update'] !== undefined) requireTrained(fitted.task, proposer);
    return given;
  }
  const overrides = proposer === undefined ? given : withProposer(proposer);
  const { unfit } = fitOverrides(task, overrides);
  if (unfit.length === 0) return overrides;
  const chosen = overrides.search?.['proposer'] ?? task.search.proposer;
  const fitting = proposersThat(({ learners }) => learners.length > 0).filter(
    (name) => fitOverrides(task, withProposer(name)).unfit.length === 0,
  );
  if (!learns(chosen) && fitting.length > 0)
    throw refused(
      `Expected a proposer with weights, since search.update trains it, got ${choiceName(chosen) ?? 'another'}; ` +
        `pass ${fitting.map((name) => `--proposer ${name}`).join(' or ')}.`,
    );
  const sources: string[] = [];
  if (preset !== undefined) sources.push(`--preset ${preset}`);
  if (set !== undefined) sources.push('--set');
  const problems = unfit.join('; ');
  throw refused(
    `Some values of ${sources.join(' and ')} do not fit the task ${task.name}: ` +
      `${problems}${problems.endsWith('?') ? '' : '.'}`,
  );
}
