import { z } from 'zod';
import { Task } from '../task.ts';

/** The part of JSON Schema that zod writes for a task. */
export interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  /** Description of a key for people, as Markdown. It refers to documents by their paths in the repository. */
  description?: string;
  /** Behaviour without the key, if the key has no `default`, as Markdown. */
  otherwise?: string;
  /** A valid mapping in YAML on one line, for messages. */
  example?: string;
  /** The fix for a wrong value that resembles no known one, for messages. */
  hint?: string;
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

/** The JSON schema of a task.yaml as a person writes it, without keys that have defaults. */
export function taskJsonSchema(): JsonSchema {
  schema ??= z.toJSONSchema(Task, { io: 'input' }) as JsonSchema;
  return schema;
}
