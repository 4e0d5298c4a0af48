import { describeSchemas } from '../../../domain/task/explain/describe-schema.ts';
import { type JsonSchema, taskJsonSchema } from '../../../domain/task/explain/json-schema.ts';
import { taskKeys, type TaskKey } from './task-keys.ts';
import { page, table } from './write.ts';

const INTRODUCTION = `Every key of a \`task.yaml\`, with its default. A whole one, with what the keys are for:
[tasks](../guides/tasks.md). \`[]\` stands for each item of a list. A key that takes the name of a method also takes
its settings, such as
\`{ name: asha, eta: 3 }\`. Your editor lists them, and shows the texts of this page, by \`tasks/task.schema.json\`.`;

/** Text of `docs/reference/task.md`: every key of task.yaml, section by section. */
export async function taskPage(): Promise<string> {
  const sections = grouped(distinct(taskKeys()), ({ key }) => /^(\w+)[.[]/.exec(key)?.[1] ?? THE_FOLDER);
  // The key `knobs` is listed with the keys of its items.
  const [others = [], rest] = [sections.get(THE_FOLDER), [...sections].filter(([name]) => name !== THE_FOLDER)];
  const apart = others.filter(({ key }) => !sections.has(key));
  const body = [
    `${INTRODUCTION}\n\n## ${THE_FOLDER}\n\n${rowsOf(apart)}`,
    ...rest.map(
      ([name, keys]) =>
        `## ${name}\n\n${aboutSection(name)}${rowsOf([...others.filter(({ key }) => key === name), ...keys])}`,
    ),
  ].join('\n\n');
  return page('docs/reference/task.md', { title: 'Keys of a task', from: 'domain/schema/', body });
}

const THE_FOLDER = 'The folder';

/** The paragraph under a section's heading; a list has its description in the table. */
function aboutSection(name: string): string {
  const { properties = {}, required = [] } = taskJsonSchema();
  const section: TaskKey['schema'] = properties[name] ?? {};
  if (!section.properties || section.description === undefined) return '';
  const isOptional = !required.includes(name) && section.default === undefined;
  const text = `${section.description.charAt(0).toUpperCase()}${section.description.slice(1)}.`;
  return `${text}${isOptional ? ' The section may be left out.' : ''}\n\n`;
}

const rowsOf = (keys: readonly Row[]): string =>
  table(
    ['key', 'type', 'default', 'meaning'],
    keys.map(({ key, type, defaults, meaning }) => [`\`${key}\``, type, defaults, meaning]),
  );

interface Row {
  key: string;
  type: string;
  defaults: string;
  meaning: string;
}

/** Rows of keys. A key that several kinds of a section have (of `evaluator`) has one row, with all its defaults. */
function distinct(keys: readonly TaskKey[]): Row[] {
  return [...grouped(keys, ({ key }) => key)].map(([key, same]) => ({
    key,
    type: describeSchemas(same.map(({ schema }) => withoutSettings(schema))).replace(/^an? /, ''),
    defaults: [...new Set(same.map(defaultOf))].join(', '),
    meaning: [...new Set(same.map(({ schema }) => linked(schema.description ?? '')))].join('; '),
  }));
}

/** Schema of a key without settings. An axis takes a name, or a name with settings; its type is the names alone. */
function withoutSettings(schema: JsonSchema): JsonSchema {
  const [names, ...others] = schema.anyOf ?? [];
  return names?.enum && others.every(({ properties }) => properties?.name) ? names : schema;
}

/** Paths of documents as links of this page. */
const linked = (text: string): string => text.replaceAll(/\bdocs\/([\w/-]+\.md(?:#[\w-]+)?)/g, '[$1](../$1)');

function defaultOf({ required, schema }: TaskKey): string {
  if (schema.default !== undefined) return `\`${JSON.stringify(schema.default).replace(/^"(.*)"$/, '$1')}\``;
  return required ? 'required' : (schema.otherwise ?? 'none');
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}
