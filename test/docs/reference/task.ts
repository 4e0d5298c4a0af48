import { KEY_CATALOG } from '../../../domain/task/words/key-catalog.ts';
import { taskKeys, type TaskKey } from './task-keys.ts';
import { page, table } from './write.ts';

const INTRODUCTION = `Every key of a \`task.yaml\`, with its default. A whole one, with what the keys are for: [tasks](../guides/tasks.md). \`[]\`
stands for each item of a list. Your editor shows the same texts, by \`tasks/task.schema.json\`.`;

/** `docs/reference/task.md`: every key of task.yaml, section by section. */
export async function taskPage(): Promise<string> {
  const sections = grouped(distinct(taskKeys()), ({ key }) => /^(\w+)[.[]/.exec(key)?.[1] ?? THE_FOLDER);
  // `knobs` itself stands with its items.
  const [others = [], rest] = [sections.get(THE_FOLDER), [...sections].filter(([name]) => name !== THE_FOLDER)];
  const apart = others.filter(({ key }) => !sections.has(key));
  const body = [
    `${INTRODUCTION}\n\n## ${THE_FOLDER}\n\n${rowsOf(apart)}`,
    ...rest.map(([name, keys]) => `## ${name}\n\n${rowsOf([...others.filter(({ key }) => key === name), ...keys])}`),
  ].join('\n\n');
  return page('docs/reference/task.md', { title: 'Keys of a task', from: 'domain/task/words/keys/', body });
}

const THE_FOLDER = 'The folder';

const rowsOf = (keys: readonly (TaskKey & { defaults: string })[]): string =>
  table(
    ['key', 'type', 'default', 'meaning'],
    keys.map(({ key, defaults }) => {
      const words = KEY_CATALOG[key];
      return [`\`${key}\``, words?.type ?? '', defaults, words?.meaning ?? ''];
    }),
  );

/** Keys that several kinds of a section have (of `evaluator`) stand once, with every default. */
function distinct(keys: readonly TaskKey[]): (TaskKey & { defaults: string })[] {
  return [...grouped(keys, ({ key }) => key).values()].flatMap((same) => {
    const [first] = same;
    const defaults = [...new Set(same.map(defaultOf))].join(', ');
    return first ? [{ ...first, defaults }] : [];
  });
}

function defaultOf({ key, required, schema }: TaskKey): string {
  if (schema.default !== undefined) return `\`${JSON.stringify(schema.default).replace(/^"(.*)"$/, '$1')}\``;
  return required ? 'required' : (KEY_CATALOG[key]?.otherwise ?? 'none');
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}
