import type { FailedStatus, FailureLabel } from '../trial.ts';

/** Description of a failure label for people. */
interface FailureMeaning {
  outcome: FailedStatus | 'aborted';
  /** Cause of the failure, as Markdown. */
  means: string;
  /** Remedy for a recurring failure, as Markdown; null if there is none. */
  remedy: string | null;
}

const LOG = 'Read the log: `show`';

/** Descriptions of all failure labels. `docs/reference/failures.md` is generated from them. */
export const FAILURE_CATALOG: Readonly<Record<FailureLabel, FailureMeaning>> = {
  'unreadable-answer': {
    outcome: 'rejected',
    means: "The model's answer held no edits",
    remedy: 'Read it: `show --answer`. Raise `llm.maxTokens` if it was cut; else try another model',
  },
  'edit-does-not-apply': {
    outcome: 'rejected',
    means: 'The edits do not fit the files',
    remedy: 'Shorter files, or another model',
  },
  'edit-outside-mutable': {
    outcome: 'rejected',
    means: 'An edit of a file that may not change',
    remedy: 'Say in `prompt.md` what may change',
  },
  'no-change': { outcome: 'rejected', means: 'The edits change nothing', remedy: 'Send a `note`' },
  refusal: { outcome: 'rejected', means: 'The model refused', remedy: 'Change the words of the task' },
  'proposer-failed': {
    outcome: 'rejected',
    means: 'The request was refused for what it is, or no knob is left',
    remedy: 'Read the message: `show`',
  },
  'nothing-new': {
    outcome: 'rejected',
    means:
      'The proposer draws from the knobs, and found no candidate that is new: every value has been tried, ' +
      'or its own draws are all known. The research ends with that reason, or waits',
    remedy: 'Widen a knob, or take another proposer',
  },
  'exit-code': { outcome: 'crashed', means: 'The program ended with an error', remedy: LOG },
  signal: { outcome: 'crashed', means: 'The program was ended by a signal of its own', remedy: LOG },
  'out-of-memory': { outcome: 'crashed', means: 'More than `memoryMb`', remedy: 'Raise it' },
  'too-many-processes': {
    outcome: 'crashed',
    means: "More than `processes`, or all that its host gives and most of them the run's",
    remedy: 'Raise it',
  },
  'output-limit': { outcome: 'crashed', means: 'More than `outputMb`', remedy: 'Print less' },
  'disk-limit': {
    outcome: 'crashed',
    means: 'More than `diskMb` or `files`, or folders that it closed again and again, so that neither can be measured',
    remedy: 'Raise it, or write less',
  },
  'launch-failed': {
    outcome: 'lost',
    means: 'Its machine lacks what the task names in `requires`, `run.path` or `run.readable`',
    remedy: 'Install it there, or correct the task: the message names each',
  },
  'immutable-changed': {
    outcome: 'crashed',
    means:
      'The run changed a file that must not change. ' +
      'Or it closed it or its folders (`chmod 0`), so that nobody can tell',
    remedy: 'Write elsewhere. `setup` must not change the workspace',
  },
  'artefact-missing': {
    outcome: 'crashed',
    means: 'The run did not leave the file, or left a link',
    remedy: 'Compare `run.artefacts[].path`',
  },
  'artefact-too-large': { outcome: 'crashed', means: 'Larger than `maxMb`', remedy: 'Raise it' },
  'no-metric': {
    outcome: 'crashed',
    means: 'The evaluator or the output has no `metric.name`',
    remedy: 'Use the same name in both',
  },
  'metric-unreadable': {
    outcome: 'crashed',
    means: 'No number, or no JSON on descriptor 3',
    remedy: 'Mend the evaluator',
  },
  'metric-not-finite': { outcome: 'crashed', means: 'NaN, infinite, or beyond ±1e150', remedy: null },
  'metric-out-of-bounds': {
    outcome: 'crashed',
    means: 'Below `min` or above `max`',
    remedy: 'It is a cheat, or the bounds are wrong',
  },
  'evaluator-failed': {
    outcome: 'crashed',
    means: 'The evaluator ended with another code than 0 or 3',
    remedy: 'Mend it; `show` has the end of its log',
  },
  'evaluator-timeout': {
    outcome: 'crashed',
    means: 'Longer than `evaluator.timeoutSeconds`',
    remedy: 'Raise it',
  },
  'evaluator-changed': {
    outcome: 'crashed',
    means: "The evaluator's files were not what the task says",
    remedy: 'The evaluator must not write over its own files',
  },
  'candidate-protocol': {
    outcome: 'crashed',
    means: "The candidate's answer was bad, late or too long",
    remedy: 'Read the message: `show`',
  },
  'wall-clock': { outcome: 'timed_out', means: 'Longer than `run.timeoutSeconds`', remedy: 'Raise it' },
  'too-slow': {
    outcome: 'timed_out',
    means: 'With `progress.steps`: its pace leads past the time limit',
    remedy: 'Fewer steps, a faster step, or a larger limit',
  },
  'cpu-time': {
    outcome: 'timed_out',
    means:
      'Run and answers used more CPU seconds than `run.budget.most` allows, ' +
      'or answers more than `evaluator.cpuSeconds`',
    remedy: 'One thread, or a larger budget',
  },
  'not-finite': { outcome: 'diverged', means: 'A progress value was NaN or infinite', remedy: null },
  diverged: { outcome: 'diverged', means: 'A progress value passed `progress.divergeFactor`', remedy: null },
  stalled: {
    outcome: 'diverged',
    means: 'No progress for `progress.stallSeconds`',
    remedy: 'Print progress more often',
  },
  'cannot-win': {
    outcome: 'aborted',
    means: 'The rule of [early abort](../concepts/early-abort.md) stopped it: forecast, and what it was against',
    remedy: 'No failure: the run says nothing about what it would have reached',
  },
  'stopped-by-operator': { outcome: 'aborted', means: '`stop --now`, or a cancelled trial', remedy: null },
  'machine-lost': {
    outcome: 'lost',
    means:
      'The run was gone, or its machine failed it, twice: ' +
      'a full disk, a GPU that is gone, a reboot, a damaged workspace. Or twenty hosts failed it',
    remedy: 'Find what kills supervisors on that machine; see `npx perpetua fleet`',
  },
  contended: {
    outcome: 'lost',
    means:
      'Three times others kept it from a CPU for a tenth of its time ' +
      '([compute time](../concepts/compute-time.md#contended-others-had-the-core))',
    remedy: 'Free cores, fewer slots, or `run.budget.kind: wall`',
  },
  'workflow-closed': { outcome: 'lost', means: "Somebody terminated the trial's workflow", remedy: null },
  'setup-failed': {
    outcome: 'lost',
    means: "The task's setup commands failed on the host, three times, or its Python could not be built there",
    remedy: 'Read the message: it has the end of their output, and names the mutable files that they asked for',
  },
  infrastructure: {
    outcome: 'lost',
    means: 'The platform could not carry it out',
    remedy: 'Read the message and `worker.log`',
  },
};
