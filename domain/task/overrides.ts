import { z } from 'zod';
import { describeIssue } from '../issue/describe-issue.ts';
import { contradictions } from './contradictions.ts';
import { pathText, type Problem, sentenceOf } from '../issue/problem.ts';
import { requireKnown } from '../search/require-known.ts';
import { UnknownMethod } from '../method/unknown-method.ts';
import { Abort, Keep, Search } from '../search/schema.ts';
import { parseWithForms } from './parse-with-forms.ts';
import type { Task } from './task.ts';
import { explainIssues } from './explain/explain-issues.ts';
import { taskJsonSchema } from './explain/json-schema.ts';

/** Sections of a task that a research may override at its start: they define the method, not the problem. */
export const SECTIONS = ['search', 'abort', 'keep'] as const;
type Section = (typeof SECTIONS)[number];

/** Values of a research that replace its task's: by section and key, as in a task.yaml. */
export type Overrides = Partial<Record<Section, Readonly<Record<string, unknown>>>>;

/** Overrides as received. `fitOverrides` decides which of them fit a task. */
export const OverridesArg = z.partialRecord(z.enum(SECTIONS), z.record(z.string(), z.unknown()));

/** The method of a research. */
export type Settings = Pick<Task, Section>;

export interface Fit {
  /** The task with every override that fits. */
  task: Task;
  /** Overrides that do not fit this task, each as `search.parent: expected …, got …; did you mean …?`. */
  unfit: string[];
}

/**
 * Applies a research's overrides to its task. Reports and omits overrides that do not fit, alone or with the others.
 */
export function fitOverrides(task: Task, overrides: Overrides): Fit {
  let [fitted, open] = [task, entriesOf(overrides)];
  const whole = tryAll(task, open);
  if (whole.problem === null) return { task: whole.task, unfit: [] };
  // An override that fails alone may fit after another one is applied.
  for (let refused: string[] = []; ; refused = []) {
    const before = open;
    open = open.filter((entry) => {
      const { task: next, problem } = tryAll(fitted, [entry]);
      if (problem === null) fitted = next;
      else refused.push(problem);
      return problem !== null;
    });
    if (open.length === before.length || open.length === 0) return { task: fitted, unfit: refused };
  }
}

/** Merges overrides; `above` wins. A mapping without a method's name is merged into the mapping below it. */
export function overlaid(below: Overrides, above: Overrides): Overrides {
  return entriesOf(above).reduce<Overrides>(
    (all, [section, key, value]) => ({
      ...all,
      [section]: { ...all[section], [key]: merged(all[section]?.[key], value) },
    }),
    below,
  );
}

/** The task with these values, or the unchanged task and the reason why the values do not fit. */
function tryAll(task: Task, entries: readonly Entry[]): { task: Task; problem: string | null } {
  const next = entries.reduce<Record<Section, object>>(
    (at, [section, key, value]) => ({
      ...at,
      [section]: { ...at[section], [key]: merged(Reflect.get(at[section], key), value) },
    }),
    task,
  );
  const parsed = parseWithForms(next);
  if (!parsed.success) {
    const problems = explainIssues(parsed.error, { schema: taskJsonSchema(), value: next });
    return { task, problem: problems.map(textOf).join('; ') };
  }
  const before = new Set(contradictions(task).map(({ path }) => pathText(path)));
  const problems = contradictions(parsed.data).filter(({ path }) => !before.has(pathText(path)));
  return problems.length === 0
    ? { task: parsed.data, problem: null }
    : { task, problem: problems.map(textOf).join('; ') };
}

const textOf = (problem: Problem): string => `${pathText(problem.path)}: ${sentenceOf(problem)}`;

/** Settings of a research in a fixed order, so that equal settings have equal JSON. */
export const settingsOf = ({ search, abort, keep }: Task): Settings => ({ search, abort, keep });

const Stored = z.object({ search: Search, abort: Abort, keep: Keep });

/**
 * The task of a research with its recorded settings; `recorded` is null for a research that version 0.1 started. Throws
 * UnknownMethod for settings of a newer version that this build does not know.
 */
export function withSettings(task: Task, recorded: Settings | null): Task {
  const known = shownWithSettings(task, recorded);
  requireKnown(known);
  if (recorded === null) return known;
  const parsed = Stored.safeParse(recorded);
  if (parsed.success) return known;
  const [issue] = parsed.error.issues;
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  throw new UnknownMethod(
    pathText([...(issue?.path ?? []), ...keys.slice(0, 1)]),
    describeIssue(parsed.error, recorded),
    [],
  );
}

/** Like `withSettings`, for display: settings that this build does not know stay as they are. */
export function shownWithSettings(task: Task, recorded: Settings | null): Task {
  if (recorded === null) return task;
  const { success, data } = Stored.safeParse(recorded);
  return { ...task, ...(success ? data : recorded) };
}

type Entry = [Section, string, unknown];

const entriesOf = (overrides: Overrides): Entry[] =>
  SECTIONS.flatMap((section) =>
    Object.entries(overrides[section] ?? {}).map(([key, value]): Entry => [section, key, value]),
  );

/**
 * A mapping without a method's name changes only the keys that it has, also of a method that is given by its name
 * alone; any other value replaces `before`.
 */
function merged(before: unknown, value: unknown): unknown {
  if (!isMapping(value) || 'name' in value) return value;
  if (typeof before === 'string') return { name: before, ...value };
  return isMapping(before) ? { ...before, ...value } : value;
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
