import type { KeyWords } from '../keys.ts';

/** Keys of task.yaml: `run`. */
export const RUN_KEYS = {
  'run.command': { type: 'text', meaning: 'passed to `sh -c` in the run directory' },
  'run.budget.seconds': {
    type: 'number',
    meaning: 'what the candidate is meant to spend; it reads it from its environment',
  },
  'run.budget.kind': {
    type: 'cpu, reference or wall',
    meaning: '`cpu` for single-threaded CPU work, `reference` with a clock of its own, `wall` for a GPU of its own',
  },
  'run.budget.most': {
    type: 'number from 1',
    otherwise: '1.5',
    meaning: 'times of `seconds` in CPU seconds, answers included, after which a trial is ended; not with `wall`',
  },
  'run.timeoutSeconds': {
    type: 'number',
    otherwise: '2 × budget + 30',
    meaning: 'hard limit of wall clock; with `kind: reference` at least 6 × budget',
  },
  'run.graceSeconds': {
    type: 'number',
    meaning: 'from TERM to KILL, at most an hour; the other limits hold meanwhile',
  },
  'run.env': { type: 'names to texts', meaning: 'set for the run' },
  'run.passEnv': { type: 'list of names', meaning: "names let through from the worker's environment" },
  'run.path': {
    type: 'list of folders',
    meaning:
      'folders of programs on the machine, such as `/home/me/venv/bin` ([runs](../guides/tasks/runs.md#your-own-python-and-data))',
  },
  'run.readable': {
    type: 'list of folders',
    meaning: 'further folders of the machine that runs may read in the sandbox, such as `/data`',
  },
  'run.artefacts': { type: 'list', meaning: 'files that the run leaves behind' },
  'run.artefacts[].path': { type: 'path', meaning: 'in the run directory' },
  'run.artefacts[].maxMb': { type: 'number', meaning: 'a larger file fails the trial' },
  'run.resources.pool': {
    type: 'text',
    meaning: 'pool of slots: `local` is this machine, others are of the fleet ([fleet.md](../guides/fleet.md))',
  },
  'run.resources.memoryMb': {
    type: 'whole number',
    meaning:
      'of the whole tree of processes, shared pages counted once (PyTorch with CUDA: 1.1 GB, and more for each loader); at most what [a host of the fleet](../guides/fleet.md) gives',
  },
  'run.resources.processes': { type: 'whole number', meaning: 'at the same time' },
  'run.resources.outputMb': {
    type: 'number',
    meaning: 'stdout and stderr together; of an answering program, its stderr',
  },
  'run.resources.diskMb': {
    type: 'whole number',
    meaning:
      'size of the run directory and its temporary folder, beyond what the workspace and its setup brought there',
  },
  'run.resources.files': {
    type: 'whole number',
    meaning: 'files, folders and links that a run may add to them (each hard link counts)',
  },
  'run.sandbox': {
    type: 'required, preferred or none',
    otherwise: 'by proposer',
    meaning:
      '`required` for written code, `preferred` where only knobs change; with `required` no network ([security.md](../guides/security.md))',
  },
} as const satisfies Record<string, KeyWords>;
