import type { Problem } from '../../issue/problem.ts';
import { choiceName, settingsIn } from '../../method/axis.ts';
import type { Task } from '../../task/task.ts';
import { membersOf } from '../proposer/makers.ts';
import { isListFile } from '../proposer/replay.ts';
import { AUTO } from '../proposer/table.ts';
import { readList } from './read-list.ts';

/** A list that a task or a mixture of it names. */
export interface NamedList {
  /** Undefined if the settings lack it. */
  from: string | undefined;
  order: unknown;
  /** Path of the key in the task. */
  path: Problem['path'];
}

/** The lists that a task's proposer, or a member of its mixture, replays. */
export function namedLists({ proposer }: Task['search']): NamedList[] {
  const members = proposer === AUTO ? [] : (membersOf(proposer) ?? [proposer]);
  return members
    .filter((member) => choiceName(member) === 'replay')
    .map((member) => {
      const { from, order } = settingsIn(member);
      const path = member === proposer ? ['search', 'proposer', 'from'] : ['search', 'proposer'];
      return { from: typeof from === 'string' ? from : undefined, order, path };
    });
}

/** Files and knobs of a task version. */
interface Version {
  task: Task;
  /** Null: the files were checked before. */
  workspace: readonly { path: string; content: Uint8Array }[] | null;
  mutablePaths: readonly string[];
}

/** Problems of the lists that a task names: a missing key, or a file that is no list of candidates for the task. */
export function listProblems({ task, workspace, mutablePaths }: Version): Problem[] {
  return namedLists(task.search).flatMap(({ from, order, path }): Problem[] => {
    if (from === undefined)
      return [{ path, expected: SOURCE, got: 'nothing', todo: 'set from: candidates.jsonl, or from: ID' }];
    if (!isListFile(from) || workspace === null) return [];
    if (order === 'best')
      return [{ path, expected: 'the id of a research, since order is best', got: from, todo: 'remove order' }];
    const file = workspace.find((one) => one.path === from);
    const expected = 'a file of the workspace that no proposal changes';
    if (file === undefined)
      return [{ path, expected, got: `${from}, which is not there`, todo: 'write the path from the workspace' }];
    if (mutablePaths.includes(from))
      return [{ path, expected, got: `${from}, which is mutable`, todo: 'list it under immutable' }];
    const text = new TextDecoder().decode(file.content);
    const { problems } = readList(text, { path: from, knobs: task.knobs, mutablePaths });
    const more = problems.length > MOST ? [`and ${problems.length - MOST} more`] : [];
    const says = [...problems.slice(0, MOST), ...more].join('; ');
    return problems.length === 0 ? [] : [{ path, expected: 'a list of candidates', got: from, todo: '', says }];
  });
}

const SOURCE = 'the id of a research, or a .json or .jsonl file of the workspace';
/** Problems of one list that a message names. */
const MOST = 5;
