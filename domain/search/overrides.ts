import { z } from 'zod';
import { describeIssue } from '../describe-issue.ts';
import { contradictions } from '../task/contradictions.ts';
import { pathText } from '../task/issue.ts';
import { Abort, Keep, Search } from '../task/search.ts';
import { Task } from '../task/task.ts';

/** Sections of a task that a research may set for itself when it starts: the method, not the problem. */
export const SECTIONS = ['search', 'abort', 'keep'] as const;
type Section = (typeof SECTIONS)[number];

/** Values of a research's own in place of its task's: section, key, value as a task.yaml would have it. */
export type Overrides = Partial<Record<Section, Readonly<Record<string, unknown>>>>;

/** Overrides as received; `fitOverrides` says which a task can take. */
export const OverridesArg = z.partialRecord(z.enum(SECTIONS), z.record(z.string(), z.unknown()));

/** The method that a research goes by. */
export type Settings = Pick<Task, Section>;

export interface Fit {
  /** The task with every override that fits. */
  task: Task;
  /** Overrides that do not fit this task, each as `search.parent: expected …, came …`. */
  unfit: string[];
}

/** Puts a research's own values in place of the task's, one key after the other; what does not fit is left out and told. */
export function fitOverrides(task: Task, overrides: Overrides): Fit {
  const unfit: string[] = [];
  let fitted = task;
  for (const [section, key, value] of entriesOf(overrides)) {
    const next: unknown = {
      ...fitted,
      [section]: { ...fitted[section], [key]: merged(Reflect.get(fitted[section], key), value) },
    };
    const parsed = Task.safeParse(next);
    if (!parsed.success) {
      unfit.push(describeIssue(parsed.error, next));
      continue;
    }
    const before = new Set(contradictions(fitted).map(({ path }) => pathText(path)));
    const problem = contradictions(parsed.data).find(({ path }) => !before.has(pathText(path)));
    if (problem === undefined) fitted = parsed.data;
    else unfit.push(`${pathText(problem.path)}: expected ${problem.expected}, came ${problem.came}; ${problem.todo}`);
  }
  return { task: fitted, unfit };
}

/** The settings that a research goes by, in a form of which equal ones have equal JSON. */
export const settingsOf = ({ search, abort, keep }: Task): Settings => ({ search, abort, keep });

const Stored = z.object({ search: Search, abort: Abort, keep: Keep });

/**
 * The task as a research runs it: by the settings that were recorded for it; null where 0.1 began it, which knew of none. What
 * another version recorded stays as it is where this one cannot read it, so that whoever looks it up throws UnknownMethod.
 */
export function withSettings(task: Task, recorded: Settings | null): Task {
  if (recorded === null) return task;
  const { success, data } = Stored.safeParse(recorded);
  return { ...task, ...(success ? data : recorded) };
}

const entriesOf = (overrides: Overrides): [Section, string, unknown][] =>
  SECTIONS.flatMap((section) =>
    Object.entries(overrides[section] ?? {}).map(([key, value]): [Section, string, unknown] => [section, key, value]),
  );

/** A mapping without a name is part of another one: what it does not say stays. */
function merged(before: unknown, value: unknown): unknown {
  if (!isMapping(before) || !isMapping(value) || 'name' in value) return value;
  return { ...before, ...value };
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
