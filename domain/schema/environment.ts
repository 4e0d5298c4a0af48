import { z } from 'zod';
import { relativePath } from './fields.ts';

/** The Python of a task's programs, and its packages. */
export const Environment = z.strictObject({
  python: z
    .string()
    .regex(/^3\.\d{1,2}(\.\d{1,2})?$/, "a version of Python in quotes, such as '3.11' or '3.11.9'")
    .describe("version of Python in quotes, with or without the third number: `'3.11'` or `'3.11.9'`"),
  lock: relativePath.describe(
    'path of a lock file outside the workspace: a list with one version of each package, or `uv.lock` beside its ' +
      '`pyproject.toml`',
  ),
});

export type Environment = z.infer<typeof Environment>;
