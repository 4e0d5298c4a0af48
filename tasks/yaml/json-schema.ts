import { z } from 'zod';
import { Task } from '../../domain/task/task.ts';

/** As much of JSON Schema as zod writes for a task. */
export interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
}

let schema: JsonSchema | undefined;

/** The JSON schema of a task.yaml, as a person writes it (defaults may be left out). */
export function taskJsonSchema(): JsonSchema {
  schema ??= z.toJSONSchema(Task, { io: 'input' }) as JsonSchema;
  return schema;
}

/** The text of `tasks/task.schema.json`, which editors read; laid out as prettier does. */
export function taskJsonSchemaText(): string {
  const text = JSON.stringify({ title: 'Perpetua task', ...taskJsonSchema() }, null, 2);
  return `${text.replace(/^ *(?:"\w+": )?\[\n[^[\]{}]*?\n *\],?$/gm, onOneLine)}\n`;
}

function onOneLine(list: string): string {
  const [before = '', ...items] = list.split('\n');
  const line =
    before +
    items
      .map((item) => item.trim())
      .join(' ')
      .replace(/ (\],?)$/, '$1');
  return line.length <= 120 ? line : list;
}
