import type { FoundKnobs } from '../../domain/source/find-knobs.ts';
import type { SourceParts } from '../../domain/source/split-source.ts';
import type { TaskInput } from '../../domain/task/task.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { columns } from '../render/text/text.ts';
import { describeKnobs } from './choose-knobs.ts';
import type { SourceRequest } from './options.ts';
import type { Source } from './read-source.ts';
import type { ProgramRun } from './run-program-once.ts';

/** A task that was made of a program. */
export interface MadeTask {
  request: SourceRequest;
  source: Source;
  parts: SourceParts;
  folder: string;
  tried: ProgramRun | null;
  artefacts: string[] | null;
  task: TaskInput;
  knobs: FoundKnobs;
  /** Files of the source that its own run writes. */
  leftovers: string[];
}

/** The first five paths, and the number of the others. */
export const summarizePaths = (paths: readonly string[]): string =>
  paths.length <= 5 ? paths.join(', ') : `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more`;

/** Describes a task that was made of a program: its folder, and the role of each part of the program. */
export function describeMadeTask({
  request,
  source,
  parts,
  folder,
  tried,
  artefacts,
  task,
  knobs,
  leftovers,
}: MadeTask): string[] {
  const { run, evaluate, metric } = request;
  const took = tried ? `, one run took ${formatSeconds(tried.seconds)}` : '';
  const score =
    evaluate === null
      ? `${metric.name}, as the run prints it. ` +
        'It is untrusted, since a proposal can print any score. To score the files of a run instead: --eval'
      : `${metric.name}, by ${evaluate} on ${summarizePaths(artefacts ?? [])}; ` +
        `runs cannot read ${summarizePaths(parts.evaluatorOnly) || 'the evaluation'}`;
  const leftOut = (paths: string[], why: string): string[][] =>
    paths.length === 0 ? [] : [['left out', `${summarizePaths(paths)}: ${why}`]];
  return columns([
    ['wrote', folder],
    ['may change', summarizePaths(parts.mutable)],
    ['run', `${run}, budget ${formatSeconds(task.run.budget.seconds)}${took}`],
    ['score', score],
    ...describeKnobs(knobs),
    ...leftOut(leftovers, 'a run writes it'),
    ...leftOut(source.secrets, 'it may hold keys or passwords'),
    ...leftOut(source.links, 'a task holds no symbolic links'),
  ]).map((line) => `  ${line}`);
}
