import type { KeyWords } from '../keys.ts';

/** Keys of task.yaml: the folder, its Python and its setup. */
export const FOLDER_KEYS = {
  name: {
    type: 'text',
    meaning: 'lower-case letters, digits, dot, dash, underscore; at most 64. The default id of its research',
  },
  description: { type: 'text', meaning: 'what a good solution is; the proposer reads it' },
  workspace: { type: 'path', meaning: 'folder of the program' },
  mutable: { type: 'list of globs', meaning: 'files of the workspace that a proposal may change' },
  immutable: { type: 'list of globs', meaning: 'exceptions from `mutable`; what is not mutable is immutable anyway' },
  prompt: {
    type: 'path',
    otherwise: 'none',
    meaning: 'Markdown for the proposer; without the key `prompt.md` is read where it exists',
  },
  requires: {
    type: 'list of texts',
    meaning:
      "programs of the run's PATH, such as `nvidia-smi` or `'python3>=3.10,<3.14'`; modules of its `python3`: `import numpy`",
  },
  'environment.python': {
    type: 'text',
    meaning: "in quotes, with or without the third number: `'3.11'` or `'3.11.9'` (the section is optional)",
  },
  'environment.lock': {
    type: 'path',
    meaning: 'list of packages each with one version, or `uv.lock` beside its `pyproject.toml`; not in the workspace',
  },
  'setup.commands': {
    type: 'list of texts',
    meaning:
      'each passed to `sh -c`, in order; they see the immutable files, no mutable ones (the section is optional)',
  },
  'setup.timeoutSeconds': {
    type: 'number',
    meaning: 'for all of them together, without the wait for other setups; a day at most',
  },
} as const satisfies Record<string, KeyWords>;
