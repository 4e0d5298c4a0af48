import { z } from 'zod';
import { Task } from '../task.ts';

/** As much of JSON Schema as zod writes for a task. */
export interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  /** Markdown; what a person reads of a key. Documents are named by their paths in the repository. */
  description?: string;
  /** What holds if the key is left out and has no `default`, as Markdown. */
  otherwise?: string;
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
