import { z } from 'zod';
import { relativePath } from './fields.ts';

/** The Python of a task's programs, and its packages. */
export const Environment = z.strictObject({
  python: z
    .string()
    .regex(/^3\.\d{1,2}(\.\d{1,2})?$/, "a version of Python in quotes, such as '3.11' or '3.11.9'")
    .describe('its version, with or without the third number'),
  lock: relativePath.describe('uv.lock, or a list of packages each with one version; beside task.yaml'),
});

export type Environment = z.infer<typeof Environment>;
