import { type Document, isScalar, parseDocument } from 'yaml';
import type { z } from 'zod';
import { DamagedRowError } from './damaged.ts';
import { withForms } from '../domain/knob/knob-form.ts';
import { parseWithForms } from '../domain/task/parse-with-forms.ts';
import type { Task } from '../domain/task/task.ts';

/**
 * A stored task in the form of this version. An older version may have stored it: its parsed form does not distinguish
 * a person's values from defaults of the time, so the YAML is parsed again. The parts that hashes cover stay as stored;
 * otherwise another run or score would have the same hash. If the YAML is no longer a valid task, the whole stored form
 * stays. Missing keys get today's defaults. A number above today's limit becomes that limit. Throws DamagedRowError if
 * the stored value was never a task. A caller that uses the knobs needs `toStoredTask`, which also reads the originals.
 */
export function storedTask({ hash, yaml, task }: { hash: string; yaml: string; task: Task }): Task {
  if (!isTask(task))
    throw new DamagedRowError(`task_versions ${hash}`, { column: 'task', expected: 'a task', got: task });
  const { run, setup, metric, evaluator } = task;
  const document = documentOf(yaml);
  const inYaml = { ...valueOf(document), run, setup, metric, evaluator };
  if (hasForms(task)) return readTask({ ...inYaml, knobs: task.knobs }) ?? readTask(task) ?? task;
  const read = readTask(inYaml) ?? readTask(task) ?? task;
  return document === null ? read : { ...read, knobs: formsOf(read, document) };
}

/**
 * True if a stored task has the forms of its knobs. They were added when the folder was read, unless version 0.2 or an
 * older one read it.
 */
export const hasForms = ({ knobs = [] }: Partial<Task>): boolean => knobs.some((knob) => 'form' in knob);

/** The knobs of a task with the forms of their values in its YAML. */
const formsOf = ({ knobs }: Task, document: Document): Task['knobs'] =>
  withForms(knobs, (knob, value) => {
    const node = document.getIn(['knobs', knob, 'values', value], true);
    return isScalar(node) ? { source: node.source ?? '', plain: node.type === 'PLAIN' } : undefined;
  });

/** Undefined if it is no task. */
function readTask(stored: object): Task | undefined {
  const first = parseWithForms(stored);
  if (first.success) return first.data;
  return parseWithForms(withinLimits(structuredClone(stored), first.error.issues)).data;
}

function withinLimits(stored: object, issues: readonly z.core.$ZodIssue[]): object {
  for (const issue of issues) {
    if (issue.code !== 'too_big' || issue.origin !== 'number') continue;
    const key = issue.path.at(-1) ?? '';
    const parent = issue.path.slice(0, -1).reduce<unknown>((at, part) => Reflect.get(at as object, part), stored);
    Reflect.set(parent as object, key, issue.maximum);
  }
  return stored;
}

/** True if the value has the keys that every version stored. Newer keys may be missing in an old row. */
const isTask = (task: Partial<Task> | null): boolean =>
  typeof task?.metric?.name === 'string' && typeof task.run?.command === 'string';

/** Texts whose documents are kept: the server of the page reads the same few tasks again and again. */
const KEPT = 16;
const kept = new Map<string, Document | null>();

/** Null if the text is no YAML. Callers do not change the document. */
function documentOf(yaml: string): Document | null {
  const known = kept.get(yaml);
  if (known !== undefined) return known;
  const document = parse(yaml);
  kept.set(yaml, document);
  for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
  return document;
}

function parse(yaml: string): Document | null {
  try {
    // Duplicate keys were refused when the task was read.
    const document = parseDocument(yaml.replace(/^\ufeff/, ''), { logLevel: 'error', uniqueKeys: false });
    return document.errors.length > 0 ? null : document;
  } catch {
    return null;
  }
}

function valueOf(document: Document | null): object {
  try {
    const value: unknown = document?.toJS();
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
